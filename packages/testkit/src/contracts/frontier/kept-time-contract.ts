// Contract: a store that keeps the crawl's time itself, for its processes are on machines of which the clocks may differ.
import type { Frontier, Tenure } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leaseOne, newRequest, openedWith, SPEC } from './story.ts'

const HOUR = 3_600_000
/** By a clock that is decades behind any other. */
const EARLY = 1_000

/** What such a store promises about time. */
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

function tenureOf({ tenure }: Frontier): Tenure {
  if (tenure === undefined) throw new Error('expected a frontier with tenure, got one without')
  return tenure
}
