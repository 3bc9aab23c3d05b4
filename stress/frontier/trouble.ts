// In full: pages that fail in later visits, are missing, or were in progress when processes died.
import type { CrawlInfo, Frontier, HostLease, Outcome } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { leaseOne, newRequest, openedWith, pathsOf, SPEC, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

const fetched = { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 }
const SEEN = { etag: '"a"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT', bodyHash: '0123456789abcdef' }

/** What becomes of pages in trouble. */
export function trouble(make: () => FrontierStore): void {
  describe('again after trouble', () => troubles(make))
  describe('poison pages', () => poison(make))
}

function doneUntil(at: number): Outcome {
  return { kind: 'done', fetched, again: { at, skipped: 0, ...SEEN } }
}

/** A store of one page that is done, and due again at 100. */
async function afterOne(make: () => FrontierStore): Promise<{ store: FrontierStore; frontier: Frontier; lease: HostLease }> {
  const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  await frontier.commit([unitOf(lease, lease.requests[0], { outcome: doneUntil(100) })])
  return { store, frontier, lease }
}

function troubles(make: () => FrontierStore): void {
  it('counts as what it was last: done, failed, done', async () => {
    const { frontier, lease } = await afterOne(make)
    const failed: Outcome = { kind: 'failed', reason: 'http-500', fetched, again: { at: 200, skipped: 0, ...SEEN } }
    await frontier.commit([unitOf(lease, (await frontier.refill(lease, 9, 100)).requests[0], { outcome: failed })])
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 0, done: 0, failed: 1, again: 1 })
    expect(await frontier.reader.failures()).toEqual([{ reason: 'http-500', count: 1 }])

    const [request] = (await frontier.refill(lease, 9, 200)).requests
    await frontier.commit([unitOf(lease, request, { outcome: { kind: 'retry', at: 200, counted: true, reason: 'reset' } })])
    expect(await frontier.reader.failures()).toEqual([{ reason: 'http-500', count: 1 }])
    await frontier.commit([unitOf(lease, (await frontier.refill(lease, 9, 200)).requests[0], { outcome: doneUntil(300) })])
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 0, done: 1, failed: 0, again: 1 })
    expect(await frontier.reader.failures()).toEqual([])
    expect((await frontier.reader.hosts({ hostKey: 'a.example' }))[0]).toMatchObject({ done: 1, failed: 0, again: 1 })
  })

  it('keeps for how long a page is missing, until a visit says that it is not', async () => {
    const { store, frontier, lease } = await afterOne(make)
    const missing = { visits: 3, since: 90 }
    const failed: Outcome = { kind: 'failed', reason: 'http-410', fetched, again: { at: 200, skipped: 0, ...SEEN, missing } }
    await frontier.commit([unitOf(lease, (await frontier.refill(lease, 9, 100)).requests[0], { outcome: failed })])
    expect((await frontier.reader.problems()).probation).toMatchObject({
      pages: 1,
      requests: [{ url: 'https://a.example/1', state: 'failed', reason: 'http-410', status: 200, notBefore: 200, missing }],
    })
    await store.crash?.()
    const next = store.crash === undefined ? frontier : store.frontier()
    if (next !== frontier) await next.open(SPEC, 0)
    else await next.release([{ lease, rest: { readyAt: 0, memory: {} } }])

    const again = await leaseOne(next, { now: 200 })
    expect(again.requests).toMatchObject([{ earlier: { visits: 2, missing } }])
    await next.commit([unitOf(again, again.requests[0], { outcome: doneUntil(300) })])
    expect((await next.refill(again, 9, 300)).requests[0]?.earlier).toEqual({ visits: 3, dueAt: 300, skipped: 0, ...SEEN })
    expect((await next.reader.problems()).probation).toEqual({ pages: 0, requests: [] })
  })

  it('is on probation no longer once it is settled without another visit; those that are missing longest come first', async () => {
    const { frontier } = await openedWith(
      make,
      [1, 2, 3].map((n) => newRequest(`a.example/${n}`)),
    )
    const lease = await leaseOne(frontier)
    const units = lease.requests.map((request, n) => {
      const again = { at: 100, skipped: 0, missing: { visits: 1, since: 50 - 10 * n } }
      return unitOf(lease, request, { outcome: { kind: 'failed', reason: 'http-404', fetched, again } })
    })
    await frontier.commit(units)
    const { pages, requests } = (await frontier.reader.problems()).probation
    expect([pages, ...pathsOf(requests)]).toEqual([3, '/3', '/2', '/1'])

    const due = (await frontier.refill(lease, 9, 100)).requests
    await frontier.commit(due.map((each) => unitOf(lease, each, { outcome: { kind: 'failed', reason: 'http-404', fetched } })))
    expect((await frontier.reader.problems()).probation).toEqual({ pages: 0, requests: [] })
  })

  it('is on probation no longer once it is not to be visited again', async () => {
    const { frontier, lease } = await afterOne(make)
    const again = { at: 200, skipped: 0, missing: { visits: 1, since: 100 } }
    const failed: Outcome = { kind: 'failed', reason: 'http-404', fetched, again }
    await frontier.commit([unitOf(lease, (await frontier.refill(lease, 9, 100)).requests[0], { outcome: failed })])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    await frontier.change({ kind: 'revisit', wanted: [{ id: 1, at: 300 }] })
    expect((await frontier.reader.problems()).probation.pages).toBe(1)
    await frontier.change({ kind: 'revisit', wanted: [{ id: 1 }] })
    expect((await frontier.reader.problems()).probation).toEqual({ pages: 0, requests: [] })
    await frontier.change({ kind: 'revisit', wanted: [{ id: 1, at: 400 }] })
    expect((await frontier.reader.problems()).probation.pages).toBe(1)
  })

  it.each<[string, (frontier: Frontier) => Promise<unknown>]>([
    ['it is asked for and found there', (frontier) => frontier.add([newRequest('a.example/1', { again: 150 })])],
    ['it is scheduled', (frontier) => frontier.change({ kind: 'revisit', wanted: [{ id: 1, at: 150 }] })],
    ['it is opened again', (frontier) => frontier.change({ kind: 'reopen', limit: 9 })],
  ])('knows that a page is believed to be gone, be it in its first visit, until %s', async (_what, wake) => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
    const lease = await leaseOne(frontier)
    const gone: Outcome = { kind: 'failed', reason: 'http-404', fetched, gone: true }
    await frontier.commit([unitOf(lease, lease.requests[0], { outcome: gone })])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    await frontier.close()
    const next = store.frontier()
    await next.open(SPEC, 100)
    expect(await next.reader.requests({ url: 'https://a.example/1' })).toMatchObject([{ state: 'failed', gone: true, visits: 1 }])
    expect((await next.reader.problems()).probation).toEqual({ pages: 0, requests: [] })

    await wake(next)
    const again = await leaseOne(next, { now: 150 })
    const { again: asked, earlier } = again.requests[0] ?? {}
    expect(earlier?.gone !== undefined).toBe(asked !== undefined)
    await next.commit([unitOf(again, again.requests[0])])
    expect((await next.reader.requests({ url: 'https://a.example/1' }))[0]).not.toHaveProperty('gone')
  })

  it('is opened again at once like any failure, once', async () => {
    const { frontier, lease } = await afterOne(make)
    const failed: Outcome = { kind: 'failed', reason: 'http-500', again: { at: 200, skipped: 0 } }
    await frontier.commit([unitOf(lease, (await frontier.refill(lease, 9, 100)).requests[0], { outcome: failed })])
    expect(await frontier.change({ kind: 'reopen', limit: 9 })).toBe(1)
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 1, failed: 0 })
    const { requests } = await frontier.refill(lease, 9, 100)
    expect(requests).toMatchObject([{ earlier: { visits: 2 } }])
    expect((await frontier.refill(lease, 9, 300)).requests).toEqual([])
    expect(await frontier.change({ kind: 'reopen', limit: 9 })).toBe(0)
  })

  it('is quarantined like any page that was in progress in three dead runs', async () => {
    const run = await afterOne(make)
    const { store } = run
    let { frontier } = run
    for (let dead = 0; dead < 3; dead++) {
      if (dead === 0) await frontier.release([{ lease: run.lease, rest: { readyAt: 0, memory: {} } }])
      const { requests } = await leaseOne(frontier, { now: 100 })
      await frontier.inProgress(requests.map(({ id }) => id))
      await store.crash?.()
      frontier = store.frontier()
      expect(await frontier.open(SPEC, 0)).toMatchObject({ quarantined: dead === 2 ? 1 : 0 })
    }
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 0, done: 0, failed: 1 })
    expect(await frontier.reader.counts()).not.toHaveProperty('again')
  })
}

function poison(make: () => FrontierStore): void {
  it('are forgiven when an attempt ends alive', async () => {
    const run = await openedWith(make, [newRequest('a.example/slow')])
    const { store } = run
    let { frontier } = run
    for (let dead = 0; dead < 4; dead++) {
      const lease = await leaseOne(frontier)
      const requestId = lease.requests[0]?.id ?? 0
      await frontier.inProgress([requestId])
      if (dead === 1) {
        await frontier.commit([
          unitOf(lease, lease.requests[0], { outcome: { kind: 'retry', at: 0, counted: true, reason: 'reset' } }),
        ])
        await frontier.refill(lease, 1, 0)
        await frontier.inProgress([requestId])
      }
      const next = await nextRun(store)
      frontier = next.frontier
      expect(next.info.quarantined).toBe(dead === 3 ? 1 : 0)
    }
  })

  it('are none after a clean end, however often', async () => {
    const run = await openedWith(make, [newRequest('a.example/1')])
    const { store } = run
    let { frontier } = run
    for (let clean = 0; clean < 4; clean++) {
      const lease = await leaseOne(frontier)
      await frontier.inProgress([lease.requests[0]?.id ?? 0])
      if (clean % 2 === 0) await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      else await frontier.close()
      const next = await nextRun(store)
      frontier = next.frontier
      expect(next.info).toMatchObject({ waiting: 1, quarantined: 0 })
    }
  })

  it('are not those that were only handed out, nor those that were finished', async () => {
    const run = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
    const { store } = run
    let { frontier } = run
    for (let dead = 0; dead < 4; dead++) {
      const lease = await leaseOne(frontier)
      await frontier.inProgress(lease.requests.map(({ id }) => id))
      await frontier.inProgress([])
      const next = await nextRun(store)
      frontier = next.frontier
      expect(next.info).toMatchObject({ waiting: 2, quarantined: 0 })
    }
  })
}

/** The process dies; the next one opens. */
async function nextRun(store: FrontierStore): Promise<{ frontier: Frontier; info: CrawlInfo }> {
  await store.crash?.()
  const frontier = store.frontier()
  return { frontier, info: await frontier.open(SPEC, 0) }
}
