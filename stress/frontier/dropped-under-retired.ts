// In full: requests that are dropped because their host was given up.
import type { Outcome } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { leaseOne, newRequest, openedWith, pathsOf, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

const fetched = { at: 40, status: 503, durationMs: 9, wireBytes: 12 }

/** What `drop` promises of requests that wait under hosts that were given up. */
export function droppedUnderRetired(make: () => FrontierStore): void {
  describe('drop, of hosts that were given up', () => {
    it('settles what waits under hosts that were given up, tried or not, and nothing else', async () => {
      const { frontier } = await openedWith(make, [
        ...[1, 2, 3].map((n) => newRequest(`a.example/${n}`)),
        newRequest('a.example/urgent', { priority: 5 }),
        newRequest('b.example/5'),
      ])
      const lease = await leaseOne(frontier)
      const putBack: Outcome = { kind: 'retry', at: 900, counted: true, reason: 'reset', fetched }
      await frontier.commit([unitOf(lease, lease.requests[1], { outcome: putBack })])
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      await frontier.retire('a.example', 'never answered', Infinity)

      expect(await frontier.change({ kind: 'drop', limit: 9 })).toBe(0)
      expect(await frontier.change({ kind: 'drop', underRetired: true, hostKey: 'b.example', limit: 9 })).toBe(0)
      expect(await frontier.change({ kind: 'drop', underRetired: true, ids: [2], limit: 9 })).toBe(1)
      expect(await frontier.reader.counts()).toMatchObject({ known: 5, waiting: 4, retired: 3, failed: 1 })
      expect(await frontier.change({ kind: 'drop', underRetired: true, limit: 9 })).toBe(3)
      expect(await frontier.reader.counts()).toMatchObject({ waiting: 1, retired: 0, retiredHosts: 1, failed: 4 })
      expect(await frontier.reader.failures()).toEqual([{ reason: 'dropped-host-dead', count: 4 }])
      expect((await frontier.reader.hosts({ hostKey: 'a.example' }))[0]).toMatchObject({ waiting: 0, failed: 4 })
    })

    it('leaves nothing of them once the host is back, but takes what is new', async () => {
      const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
      await frontier.retire('a.example', 'never answered', Infinity)
      await frontier.change({ kind: 'drop', underRetired: true, limit: 9 })
      await frontier.change({ kind: 'revive', hostKey: 'a.example' })
      expect((await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
      await frontier.add([newRequest('a.example/new')])
      const lease = await leaseOne(frontier)
      expect(pathsOf(lease.requests)).toEqual(['/new'])
      await frontier.commit([unitOf(lease, lease.requests[0])])
      expect(await frontier.reader.counts()).toMatchObject({ known: 3, waiting: 0, done: 1, failed: 2 })
      expect(await frontier.change({ kind: 'reopen', reasons: ['dropped-host-dead'], limit: 9 })).toBe(2)
      expect(pathsOf((await frontier.refill(lease, 9, 0)).requests)).toEqual(['/1', '/2'])
    })

    it('takes no more than it may be of them, oldest first', async () => {
      const { frontier } = await openedWith(
        make,
        [1, 2, 3, 4].map((n) => newRequest(`a.example/${n}`)),
      )
      await frontier.retire('a.example', 'never answered', Infinity)
      expect(await frontier.change({ kind: 'drop', underRetired: true, limit: 2 })).toBe(2)
      expect(pathsOf(await frontier.reader.requests({ state: 'waiting', limit: 9 }))).toEqual(['/3', '/4'])
      await frontier.change({ kind: 'revive', hostKey: 'a.example' })
      expect(pathsOf((await leaseOne(frontier)).requests)).toEqual(['/3', '/4'])
    })

    it('leaves what the holder of such a host has to finish', async () => {
      const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
      const lease = await leaseOne(frontier, { n: 1 })
      await frontier.retire('a.example', 'never answered', Infinity, lease)
      expect(await frontier.change({ kind: 'drop', underRetired: true, limit: 9 })).toBe(0)
      await frontier.commit([unitOf(lease, lease.requests[0])])
      await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      expect(await frontier.change({ kind: 'drop', underRetired: true, limit: 9 })).toBe(1)
      expect(await frontier.reader.counts()).toMatchObject({ done: 1, failed: 1, waiting: 0 })
    })
  })
}
