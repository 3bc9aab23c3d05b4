// Contract: failed requests that are opened again.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import {
  SOME_OF_FAILED,
  afterFailures,
  failedFor,
  leaseOne,
  leasedOne,
  newRequest,
  newRequests,
  pathsOf,
  turnOf,
} from './story.ts'

/** What `reopen` promises. */
export function reopenContract(make: () => FrontierStore): void {
  describe('reopen', () => {
    it('has a failed request wait again at once, with no attempts behind it, and its history', async () => {
      const { frontier } = await afterFailures(make)
      expect(await frontier.change({ kind: 'reopen', reasons: ['http-503'], limit: 9 })).toBe(1)

      expect(await frontier.reader.counts()).toMatchObject({ known: 5, waiting: 1, done: 1, failed: 3 })
      expect(await frontier.reader.host('a.example')).toMatchObject({ waiting: 1, failed: 2 })
      expect(await frontier.reader.failures()).toEqual([
        { reason: 'http-404', count: 1 },
        { reason: 'poison', count: 1 },
        { reason: 'reset', count: 1 },
      ])
      const [record] = await frontier.reader.requests({ state: 'waiting', limit: 9 })
      expect(record).toMatchObject({ reason: 'http-503', attempts: 0, freeAttempts: 0, fetchedAt: 40, status: 503 })
      expect(record).not.toHaveProperty('blame')

      const lease = await leaseOne(frontier)
      expect(lease.requests).toMatchObject([{ url: 'https://a.example/1', attempts: 0, freeAttempts: 0 }])
      await frontier.commit([turnOf(lease, lease.requests[0])])
      expect(await frontier.reader.counts()).toMatchObject({ waiting: 0, done: 2, failed: 3 })
    })

    it.each(SOME_OF_FAILED)('opens %s', async (_what, query, paths) => {
      const { frontier } = await afterFailures(make)
      expect(await frontier.change({ kind: 'reopen', limit: 9, ...query })).toBe(paths.length)
      expect(pathsOf(await frontier.reader.requests({ state: 'waiting', limit: 9 }))).toEqual(paths)
    })

    it('finds nothing the second time', async () => {
      const { frontier } = await afterFailures(make)
      expect(await frontier.change({ kind: 'reopen', limit: 9 })).toBe(4)
      expect(await frontier.change({ kind: 'reopen', limit: 9 })).toBe(0)
      expect(await frontier.reader.failures()).toEqual([])
    })

    it('leaves those of a host that was given up until it is revived', async () => {
      const { frontier } = await afterFailures(make)
      await frontier.retire('b.example', 'never answered', Infinity)
      await frontier.change({ kind: 'reopen', hostKey: 'b.example', limit: 9 })
      expect((await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
      expect(await frontier.reader.counts()).toMatchObject({ waiting: 1, retired: 1 })
      await frontier.change({ kind: 'revive', hostKey: 'b.example' })
      expect(pathsOf((await leaseOne(frontier)).requests)).toEqual(['/4'])
    })

    it('goes by priority among what else is due', async () => {
      const { frontier } = await afterFailures(make)
      await frontier.add([newRequest('a.example/new'), newRequest('a.example/first', { priority: 9 })])
      await frontier.change({ kind: 'reopen', ids: [3], limit: 9 })
      expect(pathsOf((await leaseOne(frontier)).requests)).toEqual(['/first', '/3', '/new'])
    })

    it('works under a visit: what it settled as failed is handed out again', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(2))
      const [one] = lease.requests
      await frontier.commit([turnOf(lease, one, { outcome: failedFor('reset') })])
      await frontier.change({ kind: 'reopen', limit: 9 })
      expect(await frontier.renew([lease], 0)).toEqual([{ held: true, waiting: 1 }])
      const { requests } = await frontier.refill(lease, 9, 0)
      expect(requests).toMatchObject([{ id: one?.id, attempts: 0 }])
      await frontier.commit([turnOf(lease, requests[0], { outcome: failedFor('reset') })])
      expect(await frontier.reader.counts()).toMatchObject({ failed: 1, waiting: 1 })
      expect(await frontier.reader.failures()).toEqual([{ reason: 'reset', count: 1 }])
    })
  })
}
