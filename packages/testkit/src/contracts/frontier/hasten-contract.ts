// Contract: requests that were put back until a moment, and need not wait for it any more.
import type { Frontier, Outcome, HostLease } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { DONE, openedWith, leaseOne, pathsOf, newRequest, turnOf } from './story.ts'

const LATER = { now: 500, hosts: 9, requestsPerHost: 9 }

/** What `hasten` promises. */
export function hastenContract(make: () => FrontierStore): void {
  describe('hasten', () => {
    it('has what was put back for one reason due at once, with its attempts and its history', async () => {
      const { frontier, lease } = await afterPutBack(make)
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      expect((await frontier.lease(LATER)).leases).toEqual([])

      expect(await frontier.hasten({ reason: 'disk-low', now: 500, limit: 9 })).toBe(2)

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
      expect(await frontier.hasten({ reason: 'disk-low', now: 500, limit: 1 })).toBe(1)
      expect(await frontier.hasten({ reason: 'disk-low', now: 500, limit: 9 })).toBe(1)
      expect(await frontier.hasten({ reason: 'disk-low', now: 500, limit: 9 })).toBe(0)
      expect(await frontier.hasten({ reason: 'never-seen', now: 500, limit: 9 })).toBe(0)
    })

    it('leaves alone what is due already', async () => {
      const { frontier } = await afterPutBack(make)
      expect(await frontier.hasten({ reason: 'disk-low', now: 1_000, limit: 9 })).toBe(0)
    })

    it('leaves alone a page that is settled, and due again', async () => {
      const { frontier } = await openedWith(make, [newRequest('a.example/1')])
      const lease = await leaseOne(frontier)
      const failed: Outcome = { kind: 'failed', reason: 'disk-low', again: { at: 1_000, skipped: 0 } }
      await frontier.commit([turnOf(lease, lease.requests[0], { outcome: failed })])
      expect(await frontier.hasten({ reason: 'disk-low', now: 500, limit: 9 })).toBe(0)
      expect((await frontier.refill(lease, 9, 500)).requests).toEqual([])
    })

    it('has a page due at once that was put back while it was read again for its links, and knows both what it waited and what they wait for', async () => {
      const { frontier, lease } = await afterRereads(make)
      expect(await frontier.hasten({ reason: 'new-urls', now: 500, limit: 9 })).toBe(0)
      expect(pathsOf(await frontier.reader.requests({ reason: 'disk-low', limit: 9 }))).toEqual(['/1'])
      expect(await frontier.reader.requests({ reason: 'new-urls', limit: 9 })).toEqual([])
      expect(await frontier.reader.history('https://a.example/1')).toMatchObject([{ cut: CUT, reason: 'disk-low' }])

      expect(await frontier.hasten({ reason: 'disk-low', now: 500, limit: 9 })).toBe(1)

      const { requests } = await frontier.refill(lease, 9, 500)
      expect(pathsOf(requests)).toEqual(['/1'])
      expect(requests).toMatchObject([{ cut: CUT, freeAttempts: 2 }])
    })

    it('leaves alone such a page that was done since, or was put back for another reason', async () => {
      const { frontier, lease } = await afterRereads(make)
      const { requests } = await frontier.refill(lease, 9, 1_000)
      const [first, second] = requests
      await frontier.commit([
        turnOf(lease, first, { outcome: { kind: 'done', fetched: FETCHED, cut: CUT } }),
        turnOf(lease, second, { outcome: putBack('disk-low', 2_000) }),
      ])
      await frontier.reopen({ cut: true, limit: 9 })
      expect(await frontier.reader.requests({ state: 'waiting', reason: 'new-urls', limit: 9 })).toEqual([])
      const again = await frontier.refill(lease, 9, 1_000)
      await frontier.commit([turnOf(lease, again.requests[0], { outcome: putBack('reset', 2_000) })])

      expect(pathsOf(await frontier.reader.requests({ reason: 'disk-low', limit: 9 }))).toEqual(['/2'])
      expect(await frontier.hasten({ reason: 'disk-low', now: 1_000, limit: 9 })).toBe(1)
      expect(await frontier.hasten({ reason: 'reset', now: 1_000, limit: 9 })).toBe(1)
    })

    it('works under a lease: what it put back is handed out again, once', async () => {
      const { frontier, lease } = await afterPutBack(make)
      await frontier.hasten({ reason: 'disk-low', now: 500, limit: 9 })
      const { requests, nextDelayedAt } = await frontier.refill(lease, 9, 500)

      expect(pathsOf(requests)).toEqual(['/1', '/2'])
      expect(nextDelayedAt).toBe(1_000)
      expect((await frontier.refill(lease, 9, 500)).requests).toEqual([])
      expect(await frontier.commit(requests.map((request) => turnOf(lease, request)))).toMatchObject([
        { status: 'committed' },
        { status: 'committed' },
      ])
      expect(await frontier.reader.counts()).toMatchObject({ waiting: 1, done: 3 })
    })

    it('leaves alone what is handed out', async () => {
      const { frontier, lease } = await afterPutBack(make)
      await frontier.refill(lease, 9, 1_000)
      expect(await frontier.hasten({ reason: 'disk-low', now: 500, limit: 9 })).toBe(0)
    })
  })
}

const FETCHED = { at: 40, status: 200, durationMs: 9, wireBytes: 12 }
const CUT = { budget: { kind: 'new-urls' }, of: 1_000, left: 950 } as const

function putBack(reason: string, at: number): Outcome {
  return { kind: 'retry', at, counted: false, reason, fetched: FETCHED }
}

/** /1 and /2 are read again for their links, and were put back until 1,000: /1 twice, in the end for want of disk, /2 for another reason. */
async function afterRereads(make: () => FrontierStore): Promise<{ frontier: Frontier; lease: HostLease }> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
  const lease = await leaseOne(frontier)
  const done: Outcome = { kind: 'done', fetched: FETCHED, cut: CUT }
  await frontier.commit(lease.requests.map((request) => turnOf(lease, request, { outcome: done })))
  await frontier.reopen({ cut: true, limit: 9 })
  const { requests } = await frontier.refill(lease, 9, 500)
  await frontier.commit(requests.map((request) => turnOf(lease, request, { outcome: putBack('reset', 600) })))
  const [first, second] = (await frontier.refill(lease, 9, 600)).requests
  await frontier.commit([
    turnOf(lease, first, { outcome: putBack('disk-low', 1_000) }),
    turnOf(lease, second, { outcome: putBack('reset', 1_000) }),
  ])
  return { frontier, lease }
}

/** /1 and /2 were put back until 1,000 for want of disk, /3 as long for another reason; /4 is done. */
async function afterPutBack(make: () => FrontierStore): Promise<{ frontier: Frontier; lease: HostLease }> {
  const { frontier } = await openedWith(
    make,
    [1, 2, 3, 4].map((n) => newRequest(`a.example/${n}`)),
  )
  const lease = await leaseOne(frontier)
  const reasons = ['disk-low', 'disk-low', 'reset', undefined]
  await frontier.commit(
    lease.requests.map((request, n) => {
      const reason = reasons[n]
      const outcome: Outcome = reason === undefined ? DONE : putBack(reason, 1_000)
      return turnOf(lease, request, { outcome })
    }),
  )
  return { frontier, lease }
}
