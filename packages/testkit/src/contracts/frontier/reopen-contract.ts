// Contract: failed requests that are opened again.
import { failure, type Frontier, type Outcome } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { openedWith, leaseOne, pathsOf, newRequest, turnOf } from './story.ts'

const fetched = { at: 40, status: 503, durationMs: 9, wireBytes: 12 }

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

    it.each([
      ['everything', {}, ['/1', '/2', '/3', '/4']],
      ['one host', { hostKey: 'b.example' }, ['/4']],
      ['a host that was never met', { hostKey: 'c.example' }, []],
      ['several reasons', { reasons: ['http-404', 'reset', 'never-seen'] }, ['/2', '/3']],
      ['no reason', { reasons: [] }, []],
      ['requests by id, of which one is done and one unknown', { ids: [1, 5, 99] }, ['/1']],
      ['what all conditions name', { hostKey: 'a.example', reasons: ['reset', 'poison'], ids: [1, 2, 3, 4] }, ['/3']],
      ['the oldest, when there are more than it may be', { limit: 2 }, ['/1', '/2']],
    ])('opens %s', async (_what, query, paths) => {
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
      const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
      const lease = await leaseOne(frontier)
      const [one] = lease.requests
      await frontier.commit([turnOf(lease, one, { outcome: failed('reset') })])
      await frontier.change({ kind: 'reopen', limit: 9 })
      expect(await frontier.renew([lease], 0)).toEqual([{ held: true, waiting: 1 }])
      const { requests } = await frontier.refill(lease, 9, 0)
      expect(requests).toMatchObject([{ id: one?.id, attempts: 0 }])
      await frontier.commit([turnOf(lease, requests[0], { outcome: failed('reset') })])
      expect(await frontier.reader.counts()).toMatchObject({ failed: 1, waiting: 1 })
      expect(await frontier.reader.failures()).toEqual([{ reason: 'reset', count: 1 }])
    })
  })
}

function failed(reason: string): Outcome {
  return { kind: 'failed', reason, fetched, failure: failure('AVO_RESET', 'reset') }
}

/** /1 to /4 failed, each for another reason, the last of another host; /5 is done. */
async function afterFailures(make: () => FrontierStore): Promise<{ frontier: Frontier }> {
  const { frontier } = await openedWith(make, [
    ...[1, 2, 3].map((n) => newRequest(`a.example/${n}`)),
    newRequest('b.example/4'),
    newRequest('b.example/5'),
  ])
  const outcomes: Readonly<Record<string, Outcome>> = {
    '/1': failed('http-503'),
    '/2': failed('http-404'),
    '/3': failed('reset'),
    '/4': failed('poison'),
  }
  const { leases } = await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 9 })
  for (const lease of leases) {
    const turns = lease.requests.map((request) => {
      const outcome = outcomes[new URL(request.url).pathname]
      return turnOf(lease, request, outcome && { outcome })
    })
    await frontier.commit(turns)
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  return { frontier }
}
