// Contract: requests that were put back until a moment, and need not wait for it any more.
import type { Frontier, Outcome, HostLease } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { DONE, leaseOne, leasedOne, newRequests, pathsOf, unitOf } from './story.ts'

const LATER = { now: 500, hosts: 9, requestsPerHost: 9 }

/** What `hasten` promises. */
export function hastenContract(make: () => FrontierStore): void {
  describe('hasten', () => {
    it('has what was put back for one reason due at once, with its attempts and its history', async () => {
      const { frontier, lease } = await afterPutBack(make)
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      expect((await frontier.lease(LATER)).leases).toEqual([])

      expect(await frontier.change({ kind: 'hasten', reason: 'disk-low', now: 500, limit: 9 })).toBe(2)

      const { requests } = await leaseOne(frontier, { now: 500 })
      expect(pathsOf(requests)).toEqual(['/1', '/2'])
      expect(requests).toMatchObject([
        { attempts: 0, freeAttempts: 1 },
        { attempts: 0, freeAttempts: 1 },
      ])
      expect(await frontier.reader.counts()).toMatchObject({ known: 4, waiting: 3, done: 1 })
      expect(await frontier.reader.requests({ reason: 'disk-low', limit: 1 })).toMatchObject([{ fetchedAt: 40, status: 200 }])
    })

    it('takes the oldest first, and finds nothing the second time', async () => {
      const { frontier } = await afterPutBack(make)
      expect(await frontier.change({ kind: 'hasten', reason: 'disk-low', now: 500, limit: 1 })).toBe(1)
      expect(await frontier.change({ kind: 'hasten', reason: 'disk-low', now: 500, limit: 9 })).toBe(1)
      expect(await frontier.change({ kind: 'hasten', reason: 'disk-low', now: 500, limit: 9 })).toBe(0)
      expect(await frontier.change({ kind: 'hasten', reason: 'never-seen', now: 500, limit: 9 })).toBe(0)
    })

    it('leaves alone what is due already', async () => {
      const { frontier } = await afterPutBack(make)
      expect(await frontier.change({ kind: 'hasten', reason: 'disk-low', now: 1_000, limit: 9 })).toBe(0)
    })

    it('leaves alone a page that is settled, and due again', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(1))
      const failed: Outcome = { kind: 'failed', reason: 'disk-low', again: { at: 1_000, skipped: 0 } }
      await frontier.commit([unitOf(lease, lease.requests[0], { outcome: failed })])
      expect(await frontier.change({ kind: 'hasten', reason: 'disk-low', now: 500, limit: 9 })).toBe(0)
      expect((await frontier.refill(lease, 9, 500)).requests).toEqual([])
    })

    it('works under a lease: what it put back is handed out again, once', async () => {
      const { frontier, lease } = await afterPutBack(make)
      await frontier.change({ kind: 'hasten', reason: 'disk-low', now: 500, limit: 9 })
      const { requests, nextDelayedAt } = await frontier.refill(lease, 9, 500)

      expect(pathsOf(requests)).toEqual(['/1', '/2'])
      expect(nextDelayedAt).toBe(1_000)
      expect((await frontier.refill(lease, 9, 500)).requests).toEqual([])
      expect(await frontier.commit(requests.map((request) => unitOf(lease, request)))).toMatchObject([
        { status: 'committed' },
        { status: 'committed' },
      ])
      expect(await frontier.reader.counts()).toMatchObject({ waiting: 1, done: 3 })
    })

    it('leaves alone what is handed out', async () => {
      const { frontier, lease } = await afterPutBack(make)
      await frontier.refill(lease, 9, 1_000)
      expect(await frontier.change({ kind: 'hasten', reason: 'disk-low', now: 500, limit: 9 })).toBe(0)
    })
  })
}

const FETCHED = { at: 40, status: 200, durationMs: 9, wireBytes: 12 }

function putBack(reason: string, at: number): Outcome {
  return { kind: 'retry', at, counted: false, reason, fetched: FETCHED }
}

/** /1 and /2 were put back until 1,000 for want of disk, /3 as long for another reason; /4 is done. */
async function afterPutBack(make: () => FrontierStore): Promise<{ frontier: Frontier; lease: HostLease }> {
  const { frontier, lease } = await leasedOne(make, newRequests(4))
  const reasons = ['disk-low', 'disk-low', 'reset', undefined]
  await frontier.commit(
    lease.requests.map((request, n) => {
      const reason = reasons[n]
      const outcome: Outcome = reason === undefined ? DONE : putBack(reason, 1_000)
      return unitOf(lease, request, { outcome })
    }),
  )
  return { frontier, lease }
}
