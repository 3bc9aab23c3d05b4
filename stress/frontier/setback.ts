// In full: a store that was written by a clock that was ahead, and is opened by one that is right.
import { setBackMs, type CrawlInfo, type Frontier, type Outcome } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { openedWith, leaseOne, pathsOf, newRequest, SPEC, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

const HOUR = 3_600_000
const WRONG = 1_767_232_800_000
const RIGHT = WRONG - 2 * HOUR
/** By a clock that is decades behind any other. */
const EARLY = 1_000

/** What `open` promises about time. */
export function setbackContract(make: () => FrontierStore): void {
  it('moves a host that is parked back by as much as the clock went back', async () => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
    const lease = await leaseOne(frontier, { now: WRONG })
    await frontier.release([{ lease, rest: { readyAt: WRONG + 60_000, memory: {} } }])

    const { next, info } = await reopened(store, frontier, RIGHT)

    expect(info.setBackMs).toBeCloseTo(2 * HOUR, -1)
    expect(await next.lease({ now: RIGHT, hosts: 9, requestsPerHost: 9 })).toMatchObject({
      leases: [],
      nextReadyAt: RIGHT + 60_000,
    })
    expect((await leaseOne(next, { now: RIGHT + 60_000 })).requests).toHaveLength(1)
  })

  it('moves delayed requests, and visits that are due again, back by as much', async () => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
    const lease = await leaseOne(frontier, { now: WRONG })
    const fetched = { at: WRONG, status: 200, durationMs: 0, wireBytes: 1 }
    const again: Outcome = { kind: 'done', fetched, again: { at: WRONG + HOUR, skipped: 0 } }
    const retry: Outcome = { kind: 'retry', at: WRONG + 5_000, counted: true, reason: 'later' }
    await frontier.commit([
      unitOf(lease, lease.requests[0], { outcome: again }),
      unitOf(lease, lease.requests[1], { outcome: retry }),
    ])

    const { next } = await reopened(store, frontier, RIGHT)

    const later = await leaseOne(next, { now: RIGHT + 5_000 })
    expect(pathsOf(later.requests)).toEqual(['/2'])
    expect(await next.refill(later, 9, RIGHT + HOUR)).toMatchObject({ requests: [{ earlier: { dueAt: RIGHT + HOUR } }] })
  })

  it('takes what was due by the wrong clock for due, and moves nothing that is over', async () => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
    const first = await leaseOne(frontier, { now: RIGHT - HOUR })
    await frontier.commit([
      unitOf(first, first.requests[0], { outcome: { kind: 'retry', at: RIGHT + HOUR, counted: true, reason: 'later' } }),
    ])
    await frontier.renew([first], WRONG)

    const { next } = await reopened(store, frontier, RIGHT)

    expect((await leaseOne(next, { now: RIGHT })).requests).toHaveLength(1)
  })

  it('leaves waits alone where the clock went on, or back by no more than a few seconds', async () => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
    const lease = await leaseOne(frontier, { now: WRONG })
    await frontier.release([{ lease, rest: { readyAt: WRONG + 60_000, memory: {} } }])

    const { next, info } = await reopened(store, frontier, WRONG - 3_000)

    expect(info).not.toHaveProperty('setBackMs')
    expect(await next.lease({ now: WRONG, hosts: 9, requestsPerHost: 9 })).toMatchObject({
      leases: [],
      nextReadyAt: WRONG + 60_000,
    })
    expect(setBackMs(WRONG, WRONG - 3_000)).toBe(0)
  })

  it('moves the beginning of a probation back by as much, so that it ends when it would have', async () => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
    const lease = await leaseOne(frontier, { now: WRONG })
    const fetched = { at: WRONG, status: 404, durationMs: 0, wireBytes: 1 }
    const again = { at: WRONG + HOUR, skipped: 0, missing: { visits: 1, since: WRONG } }
    await frontier.commit([unitOf(lease, lease.requests[0], { outcome: { kind: 'failed', reason: 'http-404', fetched, again } })])

    const { next } = await reopened(store, frontier, RIGHT)

    const [request] = (await leaseOne(next, { now: RIGHT + HOUR })).requests
    expect(request?.earlier?.missing).toEqual({ visits: 1, since: RIGHT })
  })

  it('moves them once: opened again at the right time, they stay', async () => {
    const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
    const lease = await leaseOne(frontier, { now: WRONG })
    await frontier.release([{ lease, rest: { readyAt: WRONG + 60_000, memory: {} } }])
    const { next } = await reopened(store, frontier, RIGHT)

    const { next: last, info } = await reopened(store, next, RIGHT + 1_000)

    expect(info).not.toHaveProperty('setBackMs')
    expect(await last.lease({ now: RIGHT, hosts: 9, requestsPerHost: 9 })).toMatchObject({ nextReadyAt: RIGHT + 60_000 })
  })
}

async function reopened(store: FrontierStore, before: Frontier, now: number): Promise<{ next: Frontier; info: CrawlInfo }> {
  await before.close()
  const next = store.frontier()
  return { next, info: await next.open(SPEC, now) }
}

/** What a store promises that keeps the crawl's time itself, for its processes are on machines of which the clocks may differ. */
export function keptTimeContract(make: () => FrontierStore): void {
  describe('a store that keeps the time', () => {
    it('moves no wait for a process that comes with an earlier time, and says how far that is behind', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const now = Math.ceil(tenureOf(frontier).now())
      const lease = await leaseOne(frontier, { now })
      await frontier.release([{ lease, rest: { readyAt: now + HOUR, memory: {} } }])
      await frontier.close()

      const next = store.frontier()
      const info = await next.open(SPEC, EARLY)

      expect(info).not.toHaveProperty('setBackMs')
      expect(EARLY + (info.aheadMs ?? 0)).toBeGreaterThanOrEqual(now)
      expect(await next.lease({ now: now + HOUR - 1, hosts: 9, requestsPerHost: 9 })).toMatchObject({
        leases: [],
        nextReadyAt: now + HOUR,
      })
      expect((await leaseOne(next, { now: now + HOUR })).requests).toHaveLength(1)
      await next.close()
    })

    it('has a time that never goes back, over a close, and over a process that dies', async () => {
      const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
      const first = tenureOf(frontier).now()
      await frontier.close()
      const second = store.frontier()
      await second.open(SPEC, EARLY)
      const secondAt = tenureOf(second).now()
      await store.crash?.()
      const third = store.frontier()
      await third.open(SPEC, EARLY)
      const thirdAt = tenureOf(third).now()

      expect(secondAt).toBeGreaterThanOrEqual(first)
      expect(thirdAt).toBeGreaterThanOrEqual(secondAt)
      await third.close()
    })

    it('holds what a process leases for some seconds of that time, in one term', async () => {
      const { frontier } = await openedWith(make, [newRequest('a.example/1')])
      const tenure = tenureOf(frontier)
      const term = tenure.term()
      const lease = await leaseOne(frontier, { now: tenure.now() })
      await frontier.renew([lease], tenure.now())

      expect(tenure.heldUntil()).toBeGreaterThan(tenure.now())
      expect(tenure.term()).toBe(term)
      await frontier.close()
    })
  })
}

function tenureOf({ sharing }: Frontier): NonNullable<NonNullable<Frontier['sharing']>['tenure']> {
  const tenure = sharing?.tenure
  if (tenure === undefined) throw new Error('expected a frontier with tenure, got one without')
  return tenure
}
