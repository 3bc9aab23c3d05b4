// Contract: items that the schema or a sink refused. A place has an item or a reject of the schema, never both.
import { SCHEMA_SOURCE, type CommitUnit, type FrontierReader } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leasedOne, newRequest, newRequests, unitOf } from './story.ts'

/** What `CommitUnit.rejects`, `setAside` and the other methods of rejects promise. */
export function rejectsContract(make: () => FrontierStore): void {
  describe('rejects', () => {
    it('of the schema are kept beside the items', async () => {
      const { frontier, lease } = await leasedOne(make, [newRequest('a.example/1', { handler: 'tea' })])
      const rejects = [1, 2].map((ordinal) => ({ json: `{"n":${ordinal}}`, ordinal, reason: 'no number', at: 1_000 }))
      await frontier.commit([unitOf(lease, lease.requests[0], { items: [{ json: '{"n":0}', ordinal: 0 }], rejects })])
      const [first, second] = await frontier.reader.rejects({ limit: 9 })
      const page = { requestId: 1, url: 'https://a.example/1', hostKey: 'a.example', handler: 'tea', visit: 0 }
      expect(first).toEqual({ ...page, ...rejects[0], id: 1, source: SCHEMA_SOURCE })

      expect(await itemsOf(frontier.reader)).toEqual(['0 {"n":0}'])
      expect(second).toMatchObject({ ordinal: 2, json: '{"n":2}' })
      expect((await frontier.reader.problems()).rejects).toMatchObject([{ reason: 'no number', count: 2 }])
      expect(await frontier.reader.counts()).toMatchObject({ items: 1, rejects: 2 })
    })

    it('of the schema are those of the last visit that yielded anything, and none once it yields what is valid', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(1))
      let [page] = lease.requests
      const visit = async (at: number, yields: Partial<CommitUnit>): Promise<string[]> => {
        const outcome = {
          kind: 'done',
          fetched: { at, status: 200, durationMs: 1, wireBytes: 1 },
          again: { at, skipped: 0 },
        } as const
        await frontier.commit([unitOf(lease, page, { items: [], ...yields, outcome })])
        ;[page] = (await frontier.refill(lease, 9, at)).requests
        const kept = await frontier.reader.rejects({ limit: 9 })
        expect((await frontier.reader.counts()).rejects ?? 0).toBe(kept.length)
        return kept.map((each) => `${each.visit} ${each.ordinal} ${each.reason}`).toSorted()
      }
      const refused = (...reasons: string[]): Partial<CommitUnit> => ({
        rejects: reasons.map((reason, ordinal) => ({ json: '0', ordinal, reason, at: 1 })),
      })

      expect(await visit(100, refused('no number 1', 'empty'))).toEqual(['0 0 no number 1', '0 1 empty'])
      expect(await visit(200, refused('no name'))).toEqual(['1 0 no name'])
      expect(await visit(300, {})).toEqual(['1 0 no name'])
      expect(await visit(400, { items: [{ json: '1', ordinal: 0 }] })).toEqual([])
    })

    it('of a sink refer to an item, until they are forgotten', async () => {
      const { frontier, lease } = await leasedOne(make, newRequests(1))
      await frontier.commit([unitOf(lease, lease.requests[0], { items: [{ json: '0' }, { json: '1' }, { json: '2' }] })])
      const aside = [0, 1, 9].map((ordinal) => ({ source: 'pg', requestId: 1, visit: 0, ordinal, reason: 'too long', at: 5_000 }))
      expect(await frontier.rejects.setAside(aside)).toBe(2)
      expect(await frontier.rejects.setAside(aside)).toBe(0)

      const [first, second] = await frontier.reader.rejects({ source: 'pg', limit: 9 })
      expect(second).toMatchObject({ ordinal: 1, json: '1' })
      expect(await frontier.rejects.forget([first?.id ?? 0, second?.id ?? 0, 77])).toBe(2)

      expect(await frontier.reader.rejects({ limit: 9 })).toEqual([])
      expect(await itemsOf(frontier.reader)).toEqual(['0 0', '1 1', '2 2'])
    })
  })
}

async function itemsOf(reader: FrontierReader): Promise<string[]> {
  return (await reader.items({ afterSeq: 0, limit: 9 })).map(({ ordinal, json }) => `${ordinal} ${json}`)
}
