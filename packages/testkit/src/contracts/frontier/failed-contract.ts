// Contract: failed requests that are opened again, or dropped.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import {
  afterFailures,
  failedFor,
  hostOf,
  leasedOne,
  leaseOne,
  newRequest,
  newRequests,
  pathsOf,
  SOME_OF_FAILED,
  SPEC,
  unitOf,
} from './story.ts'

/** What `reopen` promises. */
export function reopenContract(make: () => FrontierStore): void {
  describe('reopen', () => {
    it('has a failed request wait again at once, with no attempts behind it, and its history', async () => {
      const { frontier } = await afterFailures(make)
      expect(await frontier.change({ kind: 'reopen', reasons: ['http-503'], limit: 9 })).toBe(1)

      expect(await frontier.reader.counts()).toMatchObject({ known: 5, waiting: 1, done: 1, failed: 3 })
      expect(await hostOf(frontier, 'a.example')).toMatchObject({ waiting: 1, failed: 2 })
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
      await frontier.commit([unitOf(lease, lease.requests[0])])
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
      await frontier.commit([unitOf(lease, one, { outcome: failedFor('reset') })])
      await frontier.change({ kind: 'reopen', limit: 9 })
      expect(await frontier.renew([lease], 0)).toEqual([{ held: true, waiting: 1 }])
      const { requests } = await frontier.refill(lease, 9, 0)
      expect(requests).toMatchObject([{ id: one?.id, attempts: 0 }])
      await frontier.commit([unitOf(lease, requests[0], { outcome: failedFor('reset') })])
      expect(await frontier.reader.counts()).toMatchObject({ failed: 1, waiting: 1 })
      expect(await frontier.reader.failures()).toEqual([{ reason: 'reset', count: 1 }])
    })
  })
}

/** What `drop` promises. */
export function dropContract(make: () => FrontierStore): void {
  describe('drop', () => {
    failedOnes(make)
  })
}

function failedOnes(make: () => FrontierStore): void {
  it('has a failed request be failed for a reason that says so, with its history', async () => {
    const { frontier } = await afterFailures(make, 6)
    expect(await frontier.change({ kind: 'drop', reasons: ['http-503'], limit: 9 })).toBe(1)

    expect(await frontier.reader.counts()).toMatchObject({ known: 6, waiting: 0, done: 1, failed: 5, again: 1 })
    expect(await hostOf(frontier, 'a.example')).toMatchObject({ waiting: 0, failed: 3 })
    expect(await frontier.reader.failures()).toEqual([
      { reason: 'reset', count: 2 },
      { reason: 'dropped-http-503', count: 1 },
      { reason: 'http-404', count: 1 },
      { reason: 'poison', count: 1 },
    ])
    const [record] = await frontier.reader.requests({ url: 'https://a.example/1' })
    expect(record).toMatchObject({ state: 'failed', reason: 'dropped-http-503', attempts: 1, fetchedAt: 40, status: 503 })
    expect(record).not.toHaveProperty('blame')
    expect((await frontier.lease({ now: 50, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
  })

  it.each(SOME_OF_FAILED)('drops %s, but not what is due again', async (_what, query, paths) => {
    const { frontier } = await afterFailures(make, 6)
    expect(await frontier.change({ kind: 'drop', limit: 9, ...query })).toBe(paths.length)
    const records = await frontier.reader.requests({ state: 'failed', limit: 9 })
    expect(pathsOf(records.filter(({ reason = '' }) => reason.startsWith('dropped-')))).toEqual(paths)
  })

  it('finds nothing the second time, nor once it was closed', async () => {
    const { store, frontier } = await afterFailures(make, 6)
    expect(await frontier.change({ kind: 'drop', limit: 9 })).toBe(4)
    expect(await frontier.change({ kind: 'drop', limit: 9 })).toBe(0)
    await frontier.close()
    const later = store.frontier()
    await later.open(SPEC, 50)
    expect(await later.change({ kind: 'drop', limit: 9 })).toBe(0)
    expect(await later.reader.failures()).toHaveLength(5)
  })

  it('is taken back by reopening what was dropped', async () => {
    const { frontier } = await afterFailures(make, 6)
    await frontier.change({ kind: 'drop', limit: 9 })
    expect(await frontier.change({ kind: 'reopen', reasons: ['dropped-reset'], limit: 9 })).toBe(1)
    const lease = await leaseOne(frontier)
    expect(lease.requests).toMatchObject([{ url: 'https://a.example/3', attempts: 0, freeAttempts: 0 }])
    await frontier.commit([unitOf(lease, lease.requests[0])])
    expect(await frontier.reader.counts()).toMatchObject({ done: 2, failed: 4 })
    expect((await frontier.reader.failures()).map(({ reason }) => reason)).not.toContain('dropped-reset')
  })

  it('leaves a dropped request known to links, and requests it for one that asks for a visit', async () => {
    const { store, frontier } = await afterFailures(make, 6)
    await frontier.change({ kind: 'drop', limit: 9 })
    expect(await frontier.add(newRequests(1))).toEqual({ added: 0, known: 1 })
    await frontier.close()
    const later = store.frontier()
    await later.open(SPEC, 50)
    expect((await later.lease({ now: 50, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
    await later.add([newRequest('a.example/1', { again: 50 })])
    expect(pathsOf((await leaseOne(later, { now: 50 })).requests)).toEqual(['/1'])
  })
}
