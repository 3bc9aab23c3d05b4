// Contract: requests that are visited again and again. Settled in between, counted once, due at their moment, items apart by visit.
import type { Frontier, Outcome, HostLease } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { hostOf, leasedOne, leaseOne, newRequest, newRequests, openedWith, pathsOf, SPEC, unitOf } from './story.ts'

const fetched = { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 }
const SEEN = { etag: '"a"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT', bodyHash: '0123456789abcdef' }

/** What `again`, and `revisit`, promise. */
export function againContract(make: () => FrontierStore): void {
  describe('again', () => visits(make))
  describe('revisit', () => revisits(make))
}

function doneUntil(at: number, skipped = 0): Outcome {
  return { kind: 'done', fetched, again: { at, skipped, ...SEEN } }
}

/** A store of one page that is done, and due again at 100. */
async function afterOne(make: () => FrontierStore): Promise<{ store: FrontierStore; frontier: Frontier; lease: HostLease }> {
  const { store, frontier, lease } = await leasedOne(make, newRequests(1))
  await frontier.commit([unitOf(lease, lease.requests[0], { outcome: doneUntil(100), items: [{ json: '"first"' }] })])
  return { store, frontier, lease }
}

function visits(make: () => FrontierStore): void {
  it('leaves a page settled, and hands it out when it is due, with what was seen', async () => {
    const { frontier, lease } = await afterOne(make)
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 0, done: 1, again: 1 })
    expect(await hostOf(frontier, 'a.example')).toMatchObject({ waiting: 0, done: 1, again: 1 })
    expect(await frontier.refill(lease, 9, 99)).toEqual({ requests: [], nextDelayedAt: 100 })

    const { requests } = await frontier.refill(lease, 9, 100)
    expect(requests).toMatchObject([{ attempts: 0, earlier: { visits: 1, dueAt: 100, skipped: 0, ...SEEN } }])
  })

  it.each([
    ['done', doneUntil(100)],
    ['moved', { kind: 'moved', target: 'http://a.example/2', fetched, again: { at: 100, skipped: 0 } }],
    ['failed', { kind: 'failed', reason: 'http-500', fetched, again: { at: 100, skipped: 0 } }],
  ] as const)('hands out what is %s as that, and what waits as nothing, also once it is opened again', async (was, outcome) => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    await frontier.commit([unitOf(lease, lease.requests[0], { outcome })])

    const { requests } = await frontier.refill(lease, 9, 100)
    expect([lease.requests[0]?.was, requests[0]?.was]).toEqual([undefined, was])

    if (was !== 'failed') return
    await frontier.commit([unitOf(lease, requests[0], { outcome })])
    expect(await frontier.change({ kind: 'reopen', limit: 9 })).toBe(1)
    const opened = await frontier.refill(lease, 9, 200)
    expect(opened.requests.map((request) => request.was)).toEqual([undefined])
  })

  it('keeps an empty ETag, of a page whose conditions are refused', async () => {
    const { frontier, lease } = await afterOne(make)
    const [first] = (await frontier.refill(lease, 9, 100)).requests
    const outcome = { kind: 'done', fetched, again: { at: 200, skipped: 0, etag: '' } } as const
    await frontier.commit([unitOf(lease, first, { outcome })])

    const { requests } = await frontier.refill(lease, 9, 200)
    expect(requests[0]?.earlier).toEqual({ visits: 2, dueAt: 200, skipped: 0, etag: '' })
  })

  it('counts it once, however often it is visited, and forgets what was seen when the last answer had it no more', async () => {
    const { frontier, lease } = await afterOne(make)
    for (const at of [100, 200, 300]) {
      const { requests } = await frontier.refill(lease, 9, at)
      const again = { at: at + 100, skipped: at === 200 ? 2 : 0, bodyHash: SEEN.bodyHash }
      await frontier.commit([unitOf(lease, requests[0], { outcome: { kind: 'done', fetched, again } })])
      expect(await frontier.reader.counts()).toMatchObject({ known: 1, waiting: 0, done: 1, again: 1 })
    }
    const { requests } = await frontier.refill(lease, 9, 400)
    expect(requests[0]?.earlier).toEqual({ visits: 4, dueAt: 400, skipped: 2, bodyHash: SEEN.bodyHash })
    expect(await frontier.reader.requests({ limit: 1 })).toMatchObject([{ state: 'done', visits: 4, skipped: 2, notBefore: 400 }])
  })

  it('keeps items once by request, visit and ordinal', async () => {
    const { frontier, lease } = await afterOne(make)
    const { requests } = await frontier.refill(lease, 9, 100)
    const unit = unitOf(lease, requests[0], { outcome: doneUntil(200), items: [{ json: '"second"' }] })
    await frontier.commit([unit, unit])
    await frontier.commit([unit])
    const items = await frontier.reader.items({ afterSeq: 0, limit: 9 })
    expect(items.map(({ json, ordinal, visit: n }) => [json, ordinal, n])).toEqual([
      ['"first"', 0, undefined],
      ['"second"', 0, 1],
    ])
    expect(await frontier.reader.counts()).toMatchObject({ items: 2, done: 1, again: 1 })
  })

  it('goes behind first visits of the same priority, and among later visits the one due longest goes first', async () => {
    const places = ['1', '2', '3', '4'].map((path) => newRequest(`a.example/${path}`))
    const { frontier } = await openedWith(make, places)
    const lease = await leaseOne(frontier, { n: 3 })
    const dueAt = [300, 100, 200]
    await frontier.commit(lease.requests.map((request, n) => unitOf(lease, request, { outcome: doneUntil(dueAt[n] ?? 0) })))
    await frontier.add([newRequest('a.example/first', { priority: 1 }), newRequest('a.example/5')])
    expect(pathsOf((await frontier.refill(lease, 9, 300)).requests)).toEqual(['/first', '/4', '/5', '/2', '/3', '/1'])
  })

  it('ends when a visit is settled without another', async () => {
    const { frontier, lease } = await afterOne(make)
    const { requests } = await frontier.refill(lease, 9, 100)
    await frontier.commit([unitOf(lease, requests[0])])
    expect(await frontier.reader.counts()).not.toHaveProperty('again')
    expect((await frontier.refill(lease, 9, 9_999)).requests).toEqual([])
  })

  it('is kept over a kill, and one that was handed out is due as before', async () => {
    const { store, frontier, lease } = await afterOne(make)
    await frontier.refill(lease, 9, 100)
    await store.crash?.()
    const next = store.frontier()
    expect(await next.open(SPEC, 0)).toMatchObject({ known: 1, waiting: 0, settled: 1, items: 1, again: 1 })
    expect(await next.lease({ now: 99, hosts: 9, requestsPerHost: 9 })).toMatchObject({ leases: [], nextReadyAt: 100 })
    const { requests } = await leaseOne(next, { now: 100 })
    expect(requests).toMatchObject([{ earlier: { visits: 1, dueAt: 100, ...SEEN } }])
  })

  it('stays what it was while a visit is tried again, and the attempts of that visit count', async () => {
    const { frontier, lease } = await afterOne(make)
    let [request] = (await frontier.refill(lease, 9, 100)).requests
    await frontier.commit([unitOf(lease, request, { outcome: { kind: 'retry', at: 150, counted: true, reason: 'reset' } })])
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 0, done: 1, again: 1 })
    ;[request] = (await frontier.refill(lease, 9, 150)).requests
    expect(request).toMatchObject({ attempts: 1, earlier: { visits: 1, dueAt: 100, ...SEEN } })
    await frontier.commit([unitOf(lease, request, { outcome: doneUntil(200) })])
    expect((await frontier.refill(lease, 9, 200)).requests).toMatchObject([{ attempts: 0, earlier: { visits: 2, dueAt: 200 } }])
  })

  it('rejects a moment that is none', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    const [result] = await frontier.commit([unitOf(lease, lease.requests[0], { outcome: doneUntil(NaN) })])
    expect(result).toMatchObject({ status: 'rejected' })
  })
}

function revisits(make: () => FrontierStore): void {
  it('has pages due that were done for good, and none that wait or are handed out', async () => {
    const { frontier } = await openedWith(make, newRequests(3))
    const lease = await leaseOne(frontier, { n: 2 })
    const [one, two] = lease.requests
    await frontier.commit([unitOf(lease, one, { items: [{ json: '0' }] })])
    await frontier.change({ kind: 'revisit', wanted: [1, 2, 3, 99].map((id) => ({ id, at: 50 })) })
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 2, done: 1, again: 1 })
    await frontier.commit([unitOf(lease, two)])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])

    const { requests } = await leaseOne(frontier, { now: 50 })
    expect(pathsOf(requests)).toEqual(['/3', '/1'])
    expect(requests[1]?.earlier).toEqual({ visits: 1, dueAt: 50, skipped: 0 })
    expect(requests[0]).not.toHaveProperty('earlier')
  })

  it('moves a visit to another moment, or takes it away; what was seen stays', async () => {
    const { frontier, lease } = await afterOne(make)
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    await frontier.change({ kind: 'revisit', wanted: [{ id: 1, at: 60 }] })
    expect((await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 9 })).nextReadyAt).toBe(60)
    await frontier.change({ kind: 'revisit', wanted: [{ id: 1 }] })
    expect(await frontier.lease({ now: 999, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })
    expect(await frontier.reader.counts()).not.toHaveProperty('again')
    await frontier.change({ kind: 'revisit', wanted: [{ id: 1, at: 70 }] })
    const { requests } = await leaseOne(frontier, { now: 70 })
    expect(requests).toMatchObject([{ earlier: { visits: 1, dueAt: 70, ...SEEN } }])
  })
}
