// Contract: given-up requests that are dropped.
import { failure, type Frontier, type Outcome } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { DONE, leaseOne, newRequest, openedWith, pathsOf, SPEC, turnOf } from './story.ts'

const fetched = { at: 40, status: 503, durationMs: 9, wireBytes: 12 }

/** What `drop` promises. */
export function dropContract(make: () => FrontierStore): void {
  describe('drop', () => {
    failedOnes(make)
  })
}

function failedOnes(make: () => FrontierStore): void {
  it('has a failed request be failed for a reason that says so, with its history', async () => {
    const { frontier } = await afterFailures(make)
    expect(await frontier.change({ kind: 'drop', reasons: ['http-503'], limit: 9 })).toBe(1)

    expect(await frontier.reader.counts()).toMatchObject({ known: 6, waiting: 0, done: 1, failed: 5, again: 1 })
    expect(await frontier.reader.host('a.example')).toMatchObject({ waiting: 0, failed: 3 })
    expect(await frontier.reader.failures()).toEqual([
      { reason: 'reset', count: 2 },
      { reason: 'dropped-http-503', count: 1 },
      { reason: 'http-404', count: 1 },
      { reason: 'poison', count: 1 },
    ])
    const [record] = await frontier.reader.history('https://a.example/1')
    expect(record).toMatchObject({ state: 'failed', reason: 'dropped-http-503', attempts: 1, fetchedAt: 40, status: 503 })
    expect(record).not.toHaveProperty('blame')
    expect((await frontier.lease({ now: 50, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
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
  ])('drops %s, but not what is due again', async (_what, query, paths) => {
    const { frontier } = await afterFailures(make)
    expect(await frontier.change({ kind: 'drop', limit: 9, ...query })).toBe(paths.length)
    const records = await frontier.reader.requests({ state: 'failed', limit: 9 })
    expect(pathsOf(records.filter(({ reason = '' }) => reason.startsWith('dropped-')))).toEqual(paths)
  })

  it('finds nothing the second time, nor once it was closed', async () => {
    const { store, frontier } = await afterFailures(make)
    expect(await frontier.change({ kind: 'drop', limit: 9 })).toBe(4)
    expect(await frontier.change({ kind: 'drop', limit: 9 })).toBe(0)
    await frontier.close()
    const later = store.frontier()
    await later.open(SPEC, 50)
    expect(await later.change({ kind: 'drop', limit: 9 })).toBe(0)
    expect(await later.reader.failures()).toHaveLength(5)
  })

  it('is taken back by reopening what was dropped', async () => {
    const { frontier } = await afterFailures(make)
    await frontier.change({ kind: 'drop', limit: 9 })
    expect(await frontier.change({ kind: 'reopen', reasons: ['dropped-reset'], limit: 9 })).toBe(1)
    const lease = await leaseOne(frontier)
    expect(lease.requests).toMatchObject([{ url: 'https://a.example/3', attempts: 0, freeAttempts: 0 }])
    await frontier.commit([turnOf(lease, lease.requests[0])])
    expect(await frontier.reader.counts()).toMatchObject({ done: 2, failed: 4 })
    expect((await frontier.reader.failures()).map(({ reason }) => reason)).not.toContain('dropped-reset')
  })

  it('leaves a dropped request known to links, and requests it for one that asks for a visit', async () => {
    const { store, frontier } = await afterFailures(make)
    await frontier.change({ kind: 'drop', limit: 9 })
    expect(await frontier.add([newRequest('a.example/1')])).toEqual({ added: 0, known: 1 })
    await frontier.close()
    const later = store.frontier()
    await later.open(SPEC, 50)
    expect((await later.lease({ now: 50, hosts: 9, requestsPerHost: 9 })).leases).toEqual([])
    await later.add([newRequest('a.example/1', { again: 50 })])
    expect(pathsOf((await leaseOne(later, { now: 50 })).requests)).toEqual(['/1'])
  })
}

function failed(reason: string): Outcome & { kind: 'failed' } {
  return { kind: 'failed', reason, fetched, failure: failure('AVO_RESET', 'reset') }
}

/** /1 to /4 failed, each for another reason, the last of another host; /5 is done; /6 failed and is due again later. */
async function afterFailures(make: () => FrontierStore): Promise<{ store: FrontierStore; frontier: Frontier }> {
  const { store, frontier } = await openedWith(make, [
    ...[1, 2, 3].map((n) => newRequest(`a.example/${n}`)),
    ...[4, 5, 6].map((n) => newRequest(`b.example/${n}`)),
  ])
  const outcomes: Readonly<Record<string, Outcome>> = {
    '/1': failed('http-503'),
    '/2': failed('http-404'),
    '/3': failed('reset'),
    '/4': failed('poison'),
    '/5': DONE,
    '/6': { ...failed('reset'), again: { at: 9_000, skipped: 0 } },
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
  return { store, frontier }
}
