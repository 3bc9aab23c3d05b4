// Contract: watched items, their changes, and items that are held. Each change is there once, in the transaction of the page that made it.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leaseOne, leasedOne, newRequest, newRequests, unitOf } from './story.ts'
import { changesInWords, fetchedAt, held, pricedItems, SHOWS_ALL, watchedShop } from './watched-shop.ts'

/** What `CommitUnit.watch`, `held` and `settlesHeld` promise, and `FrontierReader.changes`. */
export function watchContract(make: () => FrontierStore): void {
  describe('watched items', () => {
    it('make a change when they are new, differ, are gone, and are back', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      await visit(1, 100, { tea: 3 })
      await visit(1, 200, { tea: 3 })
      await visit(1, 300, { tea: 4 })
      await visit(1, 400, {})
      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4'])
      await visit(1, 500, {})
      await visit(1, 600, {})
      await visit(1, 700, { tea: 4 })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4', 'tea gone 4 -', 'tea back 4 4'])
      const [first, second] = await frontier.reader.changes({})
      const page = { hostKey: 'a.example', key: 'tea', url: 'https://a.example/1', requestId: 1 }
      expect(first).toEqual({ ...page, seq: first?.seq, kind: 'new', visit: 0, at: 100, after: { price: 3 } })
      expect(second).toMatchObject({ ...page, visit: 2, at: 300, before: { price: 3 }, after: { price: 4 } })
    })

    it('are there as long as one page shows them', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      await visit(2, 200, { tea: 3 })
      for (const at of [300, 400, 500]) {
        await visit(1, at, {}, { watch: { shows: 'unchanged', goneAfterVisits: 2 } })
        await visit(2, at, {})
      }
      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
      await visit(1, 600, {})
      await visit(1, 700, {})

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea gone 3 -'])
    })

    it('that move between pages of one price are never changed by a page of another one', async () => {
      const { frontier, visit } = await watchedShop(make, 3)
      for (let at = 0; at < 24; at++) {
        const isFirst = Math.floor(at / 4) % 2 === 0
        await visit(1, at, isFirst ? { tea: 3 } : {})
        await visit(2, at, isFirst ? {} : { tea: 3 })
        await visit(3, at, { tea: 4 })
      }

      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
    })

    it('that a page lacks stay lacking while it is as it was, and others stay there', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      await visit(1, 100, { tea: 3, cup: 5 })
      await visit(1, 200, { cup: 5 })
      await visit(1, 300, {}, { watch: { shows: 'unchanged', goneAfterVisits: 2 } })
      await visit(1, 400, {}, { watch: { shows: 'unchanged', goneAfterVisits: 2 } })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'cup new - 5', 'tea gone 3 -'])
    })

    it('are not missed by a page that says nothing of the others', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      await visit(1, 100, { tea: 3 })
      for (const at of [200, 300, 400]) await visit(1, at, {}, { watch: { shows: 'some' } })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
    })

    it('are gone with a page that is believed to be gone', async () => {
      const { frontier, lease, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3, cup: 5 })
      await visit(2, 100, { cup: 5 })
      const outcome = { kind: 'failed', reason: 'http-404', gone: true, fetched: fetchedAt(200) } as const
      const [page] = (await frontier.refill(lease, 9, 150)).requests.filter(({ id }) => id === 1)
      await frontier.commit([unitOf(lease, page, { outcome, watch: { shows: 'gone' } })])

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'cup new - 5', 'tea gone 3 -'])
    })

    it('are gone once with a page that is visited rarely since, and back once with it', async () => {
      const { frontier, lease, visit } = await watchedShop(make, 1)
      await visit(1, 100, { tea: 3 })
      for (const at of [200, 300, 400]) {
        const again = { at: at + 1, skipped: 0, missing: { visits: 3, since: 100 } }
        const outcome = { kind: 'failed', reason: 'http-404', gone: true, fetched: fetchedAt(at), again } as const
        await visit(1, at, {}, { outcome, watch: { shows: 'gone' } })
      }
      const [record] = await frontier.reader.requests({})
      expect([record?.gone, record?.notBefore, record?.missing]).toEqual([true, 401, undefined])
      expect([(await frontier.reader.counts()).again, (await frontier.reader.problems()).probation.pages]).toEqual([1, 0])
      const [page] = (await frontier.refill(lease, 9, 500)).requests
      expect(page?.earlier).toMatchObject({ gone: 3, dueAt: 401 })
      await frontier.commit([unitOf(lease, page, { items: pricedItems({ tea: 3 }), watch: SHOWS_ALL })])

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea gone 3 -', 'tea back 3 3'])
    })

    it('are gone for good with a page that is dropped', async () => {
      const { frontier, lease, visit } = await watchedShop(make, 1)
      const outcome = {
        kind: 'failed',
        reason: 'http-404',
        gone: true,
        fetched: fetchedAt(100),
        again: { at: 101, skipped: 0 },
      } as const
      await visit(1, 100, {}, { outcome, watch: { shows: 'gone' } })

      expect(await frontier.change({ kind: 'drop', ids: [1], limit: 1 })).toBe(1)
      expect((await frontier.reader.requests({}))[0]).toMatchObject({ state: 'failed', reason: 'dropped-http-404' })
      expect((await frontier.reader.counts()).again).toBeUndefined()
      expect((await frontier.refill(lease, 9, 500)).requests).toEqual([])
    })

    it('of two hosts may have one key', async () => {
      const { frontier, lease } = await leasedOne(make, [newRequest('a.example/1'), newRequest('b.example/1')])
      await frontier.commit([unitOf(lease, lease.requests[0], { items: pricedItems({ tea: 3 }), watch: SHOWS_ALL })])
      const other = await leaseOne(frontier)
      await frontier.commit([unitOf(other, other.requests[0], { items: pricedItems({ tea: 4 }), watch: SHOWS_ALL })])

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea new - 4'])
      expect(await frontier.reader.changes({ hostKey: 'b.example', key: 'tea' })).toMatchObject([{ after: { price: 4 } }])
    })

    it('are listed by number, key and moment, either way', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      for (const [n, at] of [100, 200, 300, 400].entries()) await visit(1, at, { tea: n, cup: 0 })
      const all = await frontier.reader.changes({})
      const ofTea = all.filter(({ key }) => key === 'tea')
      expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => a - b))

      expect(await frontier.reader.changes({ key: 'tea', newestFirst: true, limit: 2 })).toEqual(ofTea.toReversed().slice(0, 2))
      expect(await frontier.reader.changes({ afterSeq: all[1]?.seq ?? 0, limit: 1 })).toEqual(all.slice(2, 3))
      expect(await frontier.reader.changes({ since: 300 })).toEqual(all.filter(({ at }) => at >= 300))
    })

    it('make their changes once, also when the commit is repeated', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(1))
      const units = [unitOf(lease, lease.requests[0], { items: pricedItems({ tea: 3 }), watch: SHOWS_ALL })]
      expect(await frontier.commit(units)).toMatchObject([{ changes: 1 }])
      await frontier.commit(units)

      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
    })
  })

  describe('a sink of changes', () => {
    it('lacks the changes behind its mark, not the items', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      for (const [n, at] of [100, 200, 300, 400].entries()) await visit(1, at, { tea: n, cup: 5 })
      const all = await frontier.reader.changes({})
      for (const seq of [0, all[1]?.seq ?? 0, all[4]?.seq ?? 0]) {
        await frontier.sinks.keep({ name: 'hook', changes: true, written: 0, mark: { itemSeq: seq } })

        const behind = all.filter((change) => change.seq > seq).length
        expect(await frontier.reader.sinks()).toMatchObject([{ name: 'hook', changes: true, behind }])
      }
    })

    it('has those set aside that it cannot take, once, as it got them', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      await visit(1, 100, { tea: 3 })
      const [{ seq, requestId, visit: of } = { seq: 0, requestId: 0, visit: 0 }] = await frontier.reader.changes({})
      const reject = { source: 'hook', requestId, visit: of, ordinal: -seq, json: '{"kind":"new"}', reason: 'no', at: 7 }
      expect(await frontier.rejects.setAside([reject])).toBe(1)
      expect(await frontier.rejects.setAside([{ ...reject, reason: 'never' }])).toBe(0)

      const [kept, ...others] = await frontier.reader.rejects({})
      expect([kept, others]).toMatchObject([{ ...reject, reason: 'never' }, []])
      expect(await frontier.rejects.forget([kept?.id ?? 0])).toBe(1)
    })
  })

  describe('items that are held', () => {
    it('are rejects, make no change, and are missed by nobody', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      await visit(1, 100, { tea: 3 })
      for (const at of [200, 300, 400]) await visit(1, at, { tea: 300 }, held('a hundred times as much'))

      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
      expect(await frontier.reader.counts()).toMatchObject({ items: 1, rejects: 3 })
      const kept = { source: 'held', visit: 1, ordinal: 0, at: 200, reason: 'a hundred times as much', hostKey: 'a.example' }
      expect((await frontier.reader.rejects({ source: 'held' }))[0]).toMatchObject(kept)
    })

    it('are items and make their changes once they are published, before the page that says so', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      await visit(1, 200, { tea: 4 }, held('odd'))
      await visit(1, 300, { tea: 5 }, held('odd'))
      const [result] = await visit(2, 400, { cup: 9 }, { settlesHeld: 'publish' })

      expect(result).toMatchObject({ published: 2, changes: 3 })
      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea changed 3 4', 'tea changed 4 5', 'cup new - 9'])
      expect((await frontier.reader.changes({}))[1]).toMatchObject({ requestId: 1, visit: 1, at: 200 })
      expect((await frontier.reader.items({})).map(({ requestId, visit: of = 0 }) => `${requestId}.${of}`)).toEqual([
        '1.0',
        '1.1',
        '1.2',
        '2.0',
      ])
      expect((await frontier.reader.counts()).rejects ?? 0).toBe(0)
    })

    it('are published in the order in which they were held', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(2, 100, { tea: 3 }, held('odd'))
      await visit(1, 200, { tea: 4 }, held('odd'))
      await frontier.change({ kind: 'settle-held', hostKey: 'a.example', to: 'publish' })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
    })

    it('go where they are dropped, and where a later visit of their page is not held', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 4 }, held('odd'))
      await visit(2, 100, { cup: 4 }, held('odd'))
      await visit(1, 200, { tea: 3 })
      expect(await frontier.reader.rejects({})).toMatchObject([{ requestId: 2 }])
      await visit(1, 300, { tea: 3 }, { settlesHeld: 'drop' })

      expect(await frontier.reader.rejects({})).toEqual([])
      expect(await changesInWords(frontier)).toEqual(['tea new - 3'])
    })

    it('are published by a page of their own handler, and dropped by any of the host', async () => {
      const { frontier, visit } = await watchedShop(make, 3, 1)
      for (const id of [1, 3]) await visit(id, 100, { [`tea ${id}`]: 4 }, held('odd'))
      await visit(2, 200, {}, { settlesHeld: 'publish' })
      expect(await changesInWords(frontier)).toEqual(['tea 1 new - 4'])
      expect(await frontier.reader.rejects({})).toMatchObject([{ requestId: 3, handler: 'list' }])
      await visit(2, 300, {}, { settlesHeld: 'drop' })

      expect([await changesInWords(frontier), await frontier.reader.rejects({})]).toEqual([['tea 1 new - 4'], []])
    })

    it('give way to a later page that shows the same item', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 4, cup: 1 }, held('odd'))
      await visit(2, 200, { tea: 3 })
      await visit(2, 300, { tea: 3 }, { settlesHeld: 'publish' })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'cup new - 1'])
    })

    it('give way to a later page of their group', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(2))
      const [first, second] = lease.requests
      const items = pricedItems({ tea: 4 })
      const ofFirst = unitOf(lease, first, { watch: { shows: 'some' }, held: { items, reason: 'odd' } })
      await frontier.commit([ofFirst, unitOf(lease, second, { items, watch: SHOWS_ALL })])

      expect(await frontier.reader.rejects({})).toEqual([])
    })

    it('stay while their page repeats itself, and its handler leaves out what it said before', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      await visit(1, 100, { tea: 4 }, held('odd'))
      await visit(1, 200, {}, { watch: { shows: 'unchanged', goneAfterVisits: 2 } })
      expect(await frontier.reader.rejects({})).toHaveLength(1)
      await visit(1, 300, {})

      expect(await frontier.reader.rejects({})).toEqual([])
    })

    it('go with a page that is believed to be gone', async () => {
      const { frontier, visit } = await watchedShop(make, 2)
      await visit(1, 100, { tea: 3 })
      await visit(1, 200, { tea: 4 }, held('odd'))
      const outcome = { kind: 'failed', reason: 'http-404', gone: true, fetched: fetchedAt(300) } as const
      await visit(1, 300, {}, { outcome, watch: { shows: 'gone' } })
      await visit(2, 400, { cup: 9 }, { settlesHeld: 'publish' })

      expect(await changesInWords(frontier)).toEqual(['tea new - 3', 'tea gone 3 -', 'cup new - 9'])
    })

    it('stay while their page is as it was', async () => {
      const { frontier, visit } = await watchedShop(make, 1)
      await visit(1, 100, { tea: 4 }, held('odd'))
      const unchanged = { kind: 'done', reason: 'unchanged', fetched: fetchedAt(200), again: { at: 201, skipped: 0 } } as const
      await visit(1, 200, {}, { outcome: unchanged })

      expect(await frontier.reader.rejects({})).toHaveLength(1)
    })

    it('are settled by an operator, host by host', async () => {
      const { frontier, visit } = await watchedShop(make, 2, 1)
      for (const id of [1, 2]) await visit(id, 100, { [`tea ${id}`]: 4 }, held('odd'))

      expect(await frontier.change({ kind: 'settle-held', hostKey: 'b.example', to: 'publish' })).toBe(0)
      expect(await frontier.change({ kind: 'settle-held', hostKey: 'a.example', to: 'publish' })).toBe(2)
      expect(await changesInWords(frontier)).toEqual(['tea 1 new - 4', 'tea 2 new - 4'])
      expect(await frontier.change({ kind: 'settle-held', hostKey: 'a.example', to: 'publish' })).toBe(0)
    })
  })
}
