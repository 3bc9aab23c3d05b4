// In full: requests that a link or a seed asks for in each run (`NewRequest.again`). Known or not, the page is visited in this run, and once is enough.
import type { Frontier, HostLease, Leased, NewRequest, Outcome } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import {
  DONE,
  leaseOne,
  newRequest,
  openedWith,
  pathsOf,
  SPEC,
  unitOf,
} from '../../packages/testkit/src/contracts/frontier/story.ts'

const fetched = { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 }

/** What a request with `again` promises. */
export function askedAgain(make: () => FrontierStore): void {
  describe('asked for again', () => runs(make))
  describe('asked for again, and visited again by a rule', () => rounds(make))
}

/** A link, or a seed, to the page `place` that asks for it at `at`. */
function asking(place: string, at = 5_000, more: Partial<NewRequest> = {}): NewRequest {
  return newRequest(place, { again: at, ...more })
}

/** The run ends, and another begins. */
async function nextRun(store: FrontierStore, frontier: Frontier): Promise<Frontier> {
  await frontier.close()
  const next = store.frontier()
  await next.open(SPEC, 2_000)
  return next
}

/** The second run of a store in which the first one settled /1 with `outcome`. */
async function secondRun(
  make: () => FrontierStore,
  outcome: Outcome = DONE,
): Promise<{ store: FrontierStore; frontier: Frontier }> {
  const { store, frontier } = await openedWith(make, [newRequest('a.example/1', { priority: 3 })])
  const lease = await leaseOne(frontier)
  await frontier.commit([unitOf(lease, lease.requests[0], { outcome, items: [{ json: '"first"' }] })])
  await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  return { store, frontier: await nextRun(store, frontier) }
}

/** What is due at 5,000 of the host that is due first. */
async function due(frontier: Frontier): Promise<{ lease: HostLease; requests: readonly Leased[] }> {
  const lease = await leaseOne(frontier, { now: 5_000 })
  return { lease, requests: lease.requests }
}

async function nothingIsDue(frontier: Frontier): Promise<void> {
  expect((await frontier.lease({ now: 5_000, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
}

function runs(make: () => FrontierStore): void {
  it.each<[string, Outcome]>([
    ['was done', DONE],
    ['moved', { kind: 'moved', target: 'https://a.example/2', fetched }],
    ['failed', { kind: 'failed', reason: 'http-404', fetched }],
    ['was never sent', { kind: 'failed', reason: 'robots' }],
  ])('a page that %s in an earlier run is due at once, once, and its items are of another visit', async (_, outcome) => {
    const { frontier } = await secondRun(make, outcome)
    expect(await frontier.add([asking('a.example/1')])).toEqual({ added: 0, known: 1 })
    await frontier.add([asking('a.example/1')])
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 0, again: 1 })
    expect(await frontier.reader.requests({ url: 'https://a.example/1' })).toMatchObject([
      { notBefore: 5_000, asked: { at: 5_000 } },
    ])

    const { lease, requests } = await due(frontier)
    expect(requests).toMatchObject([{ attempts: 0, again: 5_000, earlier: { visits: 1, dueAt: 5_000, skipped: 0 } }])
    await frontier.commit([unitOf(lease, requests[0], { items: [{ json: '"second"' }] })])
    const items = await frontier.reader.items({ afterSeq: 0, limit: 9 })
    expect(items.map(({ json, visit = 0 }) => [json, visit])).toEqual([
      ['"first"', 0],
      ['"second"', 1],
    ])
    expect(await frontier.reader.counts()).not.toHaveProperty('again')
    expect((await frontier.reader.requests({ url: 'https://a.example/1' }))[0]).not.toHaveProperty('asked')
  })

  it('a link says which host gained it, with the priority that the request has, and which page asked', async () => {
    const { frontier } = await secondRun(make)
    await frontier.add([newRequest('b.example/hub')])
    const { lease, requests } = await due(frontier)
    const links = [asking('a.example/1', 5_000, { parentId: 2, priority: 9 }), newRequest('c.example/')]
    const [result] = await frontier.commit([unitOf(lease, requests[0], { links })])
    expect(result).toMatchObject({ status: 'committed', added: 1, known: 1 })
    expect(result?.gained.toSorted((a, b) => (a.hostKey < b.hostKey ? -1 : 1))).toEqual([
      { hostKey: 'a.example', count: 1, topPriority: 3 },
      { hostKey: 'c.example', count: 1, topPriority: 0 },
    ])
    expect(await frontier.reader.requests({ url: 'https://a.example/1' })).toMatchObject([
      { asked: { at: 5_000, by: 'https://b.example/hub' } },
    ])
  })

  it('a page that this run has visited stays as it is, be it for the first time, so two pages that ask for each other do not loop', async () => {
    const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
    const lease = await leaseOne(frontier)
    const [one, two] = lease.requests
    const results = await frontier.commit([
      unitOf(lease, one, { links: [asking('a.example/2'), asking('a.example/1')] }),
      unitOf(lease, two, { links: [asking('a.example/1'), asking('a.example/2')] }),
    ])
    expect(results).toMatchObject([
      { status: 'committed', gained: [], added: 0, known: 2 },
      { status: 'committed', gained: [], added: 0, known: 2 },
    ])
    await frontier.add([asking('a.example/1'), asking('a.example/2')])
    expect(await frontier.reader.counts()).toMatchObject({ done: 2, waiting: 0 })
    expect(await frontier.reader.counts()).not.toHaveProperty('again')
  })

  it('the same holds for what was settled in this run without being sent', async () => {
    const { frontier } = await openedWith(make, [newRequest('a.example/1')])
    const lease = await leaseOne(frontier)
    await frontier.commit([unitOf(lease, lease.requests[0], { outcome: { kind: 'failed', reason: 'robots' } })])
    await frontier.add([asking('a.example/1')])
    expect(await frontier.reader.counts()).not.toHaveProperty('again')
  })

  it('a page that asks for itself is visited once in a run', async () => {
    const { store, frontier } = await secondRun(make)
    await frontier.add([asking('a.example/1')])
    const { lease, requests } = await due(frontier)
    const unit = unitOf(lease, requests[0], { links: [asking('a.example/1')] })
    expect(await frontier.commit([unit])).toMatchObject([{ status: 'committed', gained: [] }])
    expect((await frontier.refill(lease, 9, 9_000)).requests).toEqual([])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])

    const third = await nextRun(store, frontier)
    await nothingIsDue(third)
    await third.add([asking('a.example/1')])
    expect((await due(third)).requests).toMatchObject([{ earlier: { visits: 2 } }])
  })

  it('a request that waits, is handed out or is being retried stays as it is', async () => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
    const lease = await leaseOne(frontier)
    await frontier.add([asking('a.example/1')])
    const [one, two] = lease.requests
    await frontier.commit([
      unitOf(lease, one, { outcome: { kind: 'retry', at: 7_000, counted: true, reason: 'reset' } }),
      unitOf(lease, two),
    ])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    const next = await nextRun(store, frontier)
    await next.add([asking('a.example/1'), asking('a.example/2')])
    const again = await due(next)
    expect(pathsOf(again.requests)).toEqual(['/2'])
    await next.commit([
      unitOf(again.lease, again.requests[0], { outcome: { kind: 'retry', at: 8_000, counted: true, reason: 'reset' } }),
    ])
    await next.add([asking('a.example/1', 6_000), asking('a.example/2', 6_000)])
    expect(await next.refill(again.lease, 9, 6_999)).toEqual({ requests: [], nextDelayedAt: 7_000 })
    expect(pathsOf((await next.refill(again.lease, 9, 7_000)).requests)).toEqual(['/1'])
    expect((await next.refill(again.lease, 9, 8_000)).requests).toMatchObject([{ again: 5_000, attempts: 1 }])
  })

  it('a new request says so on its first visit, for what it may redirect to', async () => {
    const { frontier } = await openedWith(make, [asking('a.example/1'), newRequest('a.example/2')])
    const { requests } = await due(frontier)
    expect(requests).toMatchObject([{ again: 5_000 }, {}])
    expect(requests[1]).not.toHaveProperty('again')
  })

  it('is kept over a kill, over runs, and whatever the rules say, until the page was visited', async () => {
    const { store, frontier } = await secondRun(make)
    await frontier.add([asking('a.example/1')])
    await store.crash?.()
    const third = store.frontier()
    await third.open(SPEC, 2_000)
    const fourth = await nextRun(store, third)
    await fourth.change({ kind: 'revisit', wanted: [{ id: 1 }] })
    await fourth.change({ kind: 'revisit', wanted: [{ id: 1, at: 9_000 }] })
    const { lease, requests } = await due(fourth)
    expect(requests).toMatchObject([{ again: 5_000, earlier: { visits: 1, dueAt: 5_000 } }])
    await fourth.commit([unitOf(lease, requests[0])])
    expect((await fourth.refill(lease, 9, 99_000)).requests).toEqual([])
  })

  it('a run whose process was killed and started again is another run', async () => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
    const lease = await leaseOne(frontier)
    await frontier.commit([unitOf(lease, lease.requests[0])])
    await store.crash?.()
    const next = store.frontier()
    await next.open(SPEC, 2_000)
    await next.add([asking('a.example/1')])
    expect((await due(next)).requests).toMatchObject([{ earlier: { visits: 1 } }])
  })

  it('a unit that is fenced asks for nothing, and one that is repeated asks once', async () => {
    const { frontier } = await secondRun(make)
    await frontier.add([newRequest('b.example/hub')])
    const { lease, requests } = await due(frontier)
    const unit = unitOf(lease, requests[0], { links: [asking('a.example/1')] })
    const late = { ...unit, lease: { ...unit.lease, epoch: unit.lease.epoch - 1 } }
    expect(await frontier.commit([late])).toMatchObject([{ status: 'fenced' }])
    expect(await frontier.reader.counts()).not.toHaveProperty('again')
    const results = await frontier.commit([unit, unit])
    expect(results.map(({ gained }) => gained.length)).toEqual([1, 0])
    expect(await frontier.reader.counts()).toMatchObject({ again: 1 })
  })

  it('a page of a host that was given up waits until that is revived', async () => {
    const { frontier } = await secondRun(make)
    await frontier.retire('a.example', 'never answered', Infinity)
    await frontier.add([asking('a.example/1')])
    await nothingIsDue(frontier)
    await frontier.change({ kind: 'revive', hostKey: 'a.example' })
    expect(pathsOf((await due(frontier)).requests)).toEqual(['/1'])
  })

  it('a page that failed and was opened again by hand is visited once', async () => {
    const { frontier } = await secondRun(make, { kind: 'failed', reason: 'http-500', fetched })
    await frontier.add([asking('a.example/1')])
    expect(await frontier.change({ kind: 'reopen', limit: 9 })).toBe(1)
    await frontier.add([asking('a.example/1')])
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 1, failed: 0 })
    const { lease, requests } = await due(frontier)
    await frontier.commit([unitOf(lease, requests[0])])
    expect((await frontier.refill(lease, 9, 99_000)).requests).toEqual([])
    expect(await frontier.reader.counts()).not.toHaveProperty('again')
  })

  it('rejects a moment that is none', async () => {
    const { frontier } = await secondRun(make)
    await frontier.add([newRequest('b.example/hub')])
    const { lease, requests } = await due(frontier)
    const unit = unitOf(lease, requests[0], { links: [asking('a.example/1', NaN)] })
    expect(await frontier.commit([unit])).toMatchObject([{ status: 'rejected' }])
  })
}

function rounds(make: () => FrontierStore): void {
  const until = (at: number): Outcome => ({ kind: 'done', fetched, again: { at, skipped: 0, etag: '"a"' } })

  it('is due now, and knows when its round is, and what was seen', async () => {
    const { frontier } = await secondRun(make, until(60_000))
    await frontier.add([asking('a.example/1')])
    expect(await frontier.reader.counts()).toMatchObject({ again: 1 })
    const { lease, requests } = await due(frontier)
    expect(requests).toMatchObject([{ again: 5_000, earlier: { visits: 1, dueAt: 60_000, etag: '"a"' } }])
    await frontier.commit([unitOf(lease, requests[0], { outcome: until(60_000) })])
    expect(await frontier.refill(lease, 9, 59_999)).toEqual({ requests: [], nextDelayedAt: 60_000 })
    const [round] = (await frontier.refill(lease, 9, 60_000)).requests
    expect(round).toMatchObject({ earlier: { visits: 2, dueAt: 60_000 } })
    expect(round).not.toHaveProperty('again')
  })

  it('is left to its round when that is due anyway, and when that is being tried again', async () => {
    const { frontier } = await secondRun(make, until(4_000))
    await frontier.add([asking('a.example/1')])
    const { lease, requests } = await due(frontier)
    expect(requests).toMatchObject([{ earlier: { dueAt: 4_000 } }])
    expect(requests[0]).not.toHaveProperty('again')
    const outcome: Outcome = { kind: 'retry', at: 9_000, counted: true, reason: 'reset' }
    await frontier.commit([unitOf(lease, requests[0], { outcome })])
    await frontier.add([asking('a.example/1', 6_000)])
    expect(await frontier.refill(lease, 9, 8_999)).toEqual({ requests: [], nextDelayedAt: 9_000 })
  })
}
