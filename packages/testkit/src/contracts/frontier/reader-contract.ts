// Contract: the read side.
import { failure, type Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { hostOf, leasedOne, leaseOne, newRequest, newRequests, openedWith, SPEC, unitOf } from './story.ts'

/** What the reader promises. */
export function readerContract(make: () => FrontierStore): void {
  describe('reader', () => {
    it('knows the crawl by its name', async () => {
      const store = make()
      const frontier = store.frontier()
      await frontier.open(SPEC, 1_234)
      expect(await frontier.reader.info()).toMatchObject({ name: 'contract', createdAt: 1_234, liveProcesses: 1 })
      await store.dispose()
    })

    it('says when a host may be visited again: also where its pages are due later than the host itself', async () => {
      const { frontier } = await openedWith(make)
      await frontier.add([newRequest('a.example/1', { notBefore: 60_000 })])
      const readyAt = async (): Promise<number | undefined> => (await hostOf(frontier, 'a.example'))?.readyAt
      expect(await readyAt()).toBe(60_000)

      await frontier.add([newRequest('a.example/2')])
      expect(await readyAt()).toBe(0)
    })

    it('tells the history of a URL, one record for each way it was asked', async () => {
      const { frontier } = await openedWith(make)
      const { fingerprint } = newRequest('a.example/other')
      await frontier.add([newRequest('a.example/1', { anchorText: 'one' }), newRequest('a.example/2')])
      await frontier.add([newRequest('a.example/1', { fingerprint, handler: 'product', notBefore: 60, parentId: 2 })])
      const lease = await leaseOne(frontier)
      await frontier.commit([unitOf(lease, lease.requests[0])])

      const shared = { url: 'https://a.example/1', hostKey: 'a.example', depth: 0, priority: 0, freeAttempts: 0 }
      expect(await frontier.reader.requests({ url: 'https://a.example/1' })).toEqual([
        {
          ...shared,
          id: 1,
          handler: 'start',
          state: 'done',
          attempts: 1,
          anchorText: 'one',
          lastPage: { at: 1_000, visit: 0 },
          ...{ fetchedAt: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 },
        },
        { ...shared, id: 3, handler: 'product', state: 'waiting', attempts: 0, notBefore: 60, parent: 'https://a.example/2' },
      ])
      expect(await frontier.reader.requests({ url: 'https://a.example/none' })).toEqual([])
    })

    it('takes no page of another host, or another page of the host, for the one of a URL', async () => {
      const { frontier } = await openedWith(make)
      await frontier.add([newRequest('a.example/1'), newRequest('a.example/2'), newRequest('b.example/1')])
      const requests = { url: 'https://b.example/1', hostKey: 'b.example', state: 'waiting' } as const
      for (const query of [{ url: requests.url }, { url: requests.url, state: requests.state }, requests])
        expect((await frontier.reader.requests(query)).map(({ id }) => id)).toEqual([3])
      expect(await frontier.reader.requests({ ...requests, url: 'https://b.example/2' })).toEqual([])
    })

    it('tells what the link of a request said beside its URL, and nothing of one that said nothing', async () => {
      const { frontier } = await openedWith(make)
      const said = { method: 'POST', body: 'q=tea', identity: '"tea"' }
      await frontier.add([
        newRequest('a.example/search', { ...said, headersJson: '{"x-page":"2"}', dataJson: '{"shelf":[1,null]}' }),
        newRequest('a.example/null', { dataJson: 'null' }),
        newRequest('a.example/none'),
      ])

      const [search, empty, none] = await frontier.reader.requests({ limit: 3 })

      expect(search).toMatchObject({ ...said, headers: { 'x-page': '2' }, data: { shelf: [1, null] } })
      expect(empty).toHaveProperty('data', null)
      for (const key of ['method', 'headers', 'body', 'data', 'identity']) expect(none).not.toHaveProperty(key)
    })

    it('lists requests by state, host and reason, page by page', async () => {
      const { frontier } = await openedWith(make)
      await busy(frontier)
      const ids = async (query: object): Promise<number[]> =>
        (await frontier.reader.requests({ limit: 100, ...query })).map(({ id }) => id)
      const all = await ids({})
      expect(all).toHaveLength(12)
      expect(await ids({ limit: 5, afterId: all[4] })).toEqual(all.slice(5, 10))
      expect(await ids({ state: 'failed' })).toHaveLength(4)
      expect(await ids({ state: 'done' })).toHaveLength(2)
      expect(await ids({ state: 'waiting' })).toHaveLength(6)
      expect(await ids({ reason: 'reset' })).toHaveLength(2)
      expect(await ids({ hostKey: 'b.example', state: 'failed' })).toHaveLength(2)
      const waiting = await frontier.reader.requests({ state: 'waiting', limit: 100 })
      for (const hostKey of ['a.example', 'b.example'])
        expect(await ids({ hostKey, state: 'waiting' })).toEqual(
          waiting.filter((each) => each.hostKey === hostKey).map(({ id }) => id),
        )
      expect(await ids({ hostKey: 'x.example', state: 'waiting' })).toEqual([])
    })

    it('lists requests of one handler', async () => {
      const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2', { handler: 'product' })])
      const pathsBy = async (query: object): Promise<string[]> =>
        (await frontier.reader.requests({ limit: 9, ...query })).map(({ url }) => new URL(url).pathname)

      expect(await pathsBy({ handler: 'product' })).toEqual(['/2'])
      expect(await pathsBy({ handler: 'start', state: 'waiting', hostKey: 'a.example' })).toEqual(['/1'])
      expect(await pathsBy({ handler: 'start', state: 'failed' })).toEqual([])
      expect(await pathsBy({ handler: 'nobody' })).toEqual([])
    })

    it('counts reasons of failures, most frequent first', async () => {
      const { frontier } = await openedWith(make)
      await busy(frontier)
      expect(await frontier.reader.failures()).toEqual([
        { reason: 'http-404', count: 3 },
        { reason: 'http-410', count: 1 },
      ])
    })

    it('lists hosts by key, page by page', async () => {
      const { frontier } = await openedWith(
        make,
        ['c', 'a', 'd', 'b'].map((host) => newRequest(`${host}.example/`)),
      )
      const keys = async (page: { afterHostKey?: string; limit: number }): Promise<string[]> =>
        (await frontier.reader.hosts(page)).map(({ hostKey }) => hostKey)
      expect(await keys({ limit: 3 })).toEqual(['a.example', 'b.example', 'c.example'])
      expect(await keys({ limit: 3, afterHostKey: 'c.example' })).toEqual(['d.example'])
      expect(await hostOf(frontier, 'x.example')).toBeUndefined()
      const [lease] = (await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })).leases
      expect(await hostOf(frontier, lease?.hostKey ?? '')).toMatchObject({ held: true })
      if (lease) await frontier.release([{ lease, rest: { readyAt: 77, memory: { core: '1' } } }])
      expect(await hostOf(frontier, lease?.hostKey ?? '')).toEqual({
        hostKey: lease?.hostKey,
        held: false,
        readyAt: 77,
        memory: { core: '1' },
        waiting: 1,
        done: 0,
        moved: 0,
        failed: 0,
        retried: 0,
      })
    })

    it('hands out the parts of the memory of hosts that are wanted, and otherwise all', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(1))
      await frontier.release([{ lease, rest: { readyAt: 0, memory: { core: '1', robots: '"long"' } } }])
      const memoryOf = async (parts?: readonly string[]): Promise<unknown> =>
        (await frontier.reader.hosts({ limit: 1, ...(parts && { parts }) }))[0]?.memory
      expect(await memoryOf()).toEqual({ core: '1', robots: '"long"' })
      expect(await memoryOf(['core', 'none'])).toEqual({ core: '1' })
      expect(await memoryOf([])).toEqual({})
    })

    it('lists the items of a page from the newest visit back', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(1))
      const fetched = { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 }
      const outcome = { kind: 'done', fetched, again: { at: 2_000, skipped: 0 } } as const
      await frontier.commit([unitOf(lease, lease.requests[0], { outcome, items: [{ json: '"a"' }, { json: '"b"' }] })])
      const [later] = (await frontier.refill(lease, 9, 2_000)).requests
      const unit = { outcome: { kind: 'done', fetched: { ...fetched, at: 2_000 } }, items: [{ json: '"c"' }] } as const
      await frontier.commit([unitOf(lease, later, unit)])

      const all = await frontier.reader.itemsOfRequest({ requestId: 1, limit: 9 })
      expect(all).toMatchObject([{ visit: 1, json: '"c"' }, { json: '"b"' }, { json: '"a"' }])
      expect(await frontier.reader.itemsOfRequest({ requestId: 1, limit: 1, before: { visit: 1, ordinal: 0 } })).toEqual([all[1]])
      expect(await frontier.reader.requests({})).toMatchObject([{ lastPage: { at: 2_000, visit: 1 } }])
    })

    it('counts errors in handlers: one where code and place are the same, and messages differ in numbers only', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(3))
      const units = lease.requests.map((request, n) => {
        const thrown = {
          code: 'AVO_HANDLER_THREW',
          message: `row ${n}`,
          stack: '',
          place: n < 2 ? '/a.ts:3:1' : '/a.ts:9:1',
        } as const
        const failed = failure('AVO_HANDLER_THREW', thrown.message, { phase: 'handler', sent: true, handlerError: thrown })
        return unitOf(lease, request, { outcome: { kind: 'failed', reason: 'handler-threw', failure: failed } })
      })
      await frontier.commit(units)

      expect((await frontier.reader.problems()).handlerErrors).toMatchObject([
        { count: 2, place: '/a.ts:3:1', message: 'row 0', url: 'https://a.example/1', handler: 'start' },
        { count: 1, place: '/a.ts:9:1' },
      ])
    })

    it('lists items in commit order, from any of them on, or from the last one back', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(2))
      await frontier.commit([unitOf(lease, lease.requests[1], { items: [{ json: '"x"' }, { json: '"y"' }] })])
      await frontier.commit([unitOf(lease, lease.requests[0], { items: [{ json: '"z"' }] })])
      const items = await frontier.reader.items({ afterSeq: 0, limit: 9 })
      expect(items).toMatchObject([
        { requestId: lease.requests[1]?.id, url: 'https://a.example/2', ordinal: 0, json: '"x"' },
        { ordinal: 1, json: '"y"' },
        { url: 'https://a.example/1', ordinal: 0, json: '"z"' },
      ])
      expect(await frontier.reader.items({ afterSeq: items[0]?.seq ?? 0, limit: 1 })).toEqual([items[1]])
      expect(await frontier.reader.items({ newestFirst: true, limit: 2 })).toEqual([items[2], items[1]])
    })
  })
}

/** Two hosts of six requests: done, three ways of failing, put back, never tried. */
async function busy(frontier: Frontier): Promise<void> {
  await frontier.add(['a', 'b'].flatMap((host) => [1, 2, 3, 4, 5, 6].map((n) => newRequest(`${host}.example/${n}`))))
  const { leases } = await frontier.lease({ now: 0, hosts: 2, requestsPerHost: 9 })
  for (const lease of leases) {
    const [done, missing, failed, back] = lease.requests
    await frontier.commit([
      unitOf(lease, done),
      unitOf(lease, missing, { outcome: { kind: 'failed', reason: 'http-404' } }),
      unitOf(lease, failed, { outcome: { kind: 'failed', reason: lease.hostKey === 'a.example' ? 'http-404' : 'http-410' } }),
      unitOf(lease, back, { outcome: { kind: 'retry', at: 99, counted: true, reason: 'reset' } }),
    ])
  }
}
