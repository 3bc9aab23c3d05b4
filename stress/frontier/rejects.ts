// In full: items that the schema or a sink refused. A place has an item or a reject of the schema, never both.
import {
  MAX_REJECT_GROUPS,
  OTHER_REASONS,
  SCHEMA_SOURCE,
  type CommitUnit,
  type Frontier,
  type HostLease,
  type NewReject,
  type SinkReject,
} from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { leaseOne, newRequest, openedWith, SPEC, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

/** What `CommitUnit.rejects`, `setAside` and the other methods of rejects promise. */
export function rejects(make: () => FrontierStore): void {
  describe('rejects of the schema', () => {
    it('are kept with their page and place, beside the items that keep theirs', () => keepsPlaces(make))
    it('give way to the item that a later answer has at their place, and never take that of an item', () => meetsItems(make))
    it('are of the last visit that yielded them', () => tellsVisits(make))
    it('are not part of a unit that is fenced', () => refusesFencedUnits(make))
  })
  describe('rejects of a sink', () => {
    it('refer to an item, once by source and place', () => setsAside(make))
  })
  describe('a list of rejects', () => {
    it('goes by id, by source and by host', () => listsThem(make))
    it('has groups of reasons, which add up to all of them', () => groupsThem(make))
  })
}

const FETCHED = { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 }

const reject = (ordinal: number, reason = 'price: not a number'): NewReject => ({
  json: `{"n":${ordinal}}`,
  ordinal,
  reason,
  at: 1_000,
})
const asideOf = (source: string, ordinal: number, more: Partial<SinkReject> = {}): SinkReject => {
  return { source, requestId: 1, visit: 0, ordinal, reason: 'too long', at: 5_000, ...more }
}

async function committed(frontier: Frontier, more: Partial<CommitUnit>): Promise<HostLease> {
  const lease = await leaseOne(frontier)
  const results = await frontier.commit([unitOf(lease, lease.requests[0], more)])
  expect(results.map(({ status }) => status)).toEqual(['committed'])
  return lease
}

async function placesOf({ reader }: Frontier): Promise<{ items: string[]; rejects: string[] }> {
  const items = await reader.items({ afterSeq: 0, limit: 100 })
  const rejects = await reader.rejects({ limit: 100 })
  const placed = ({
    requestId,
    visit = 0,
    ordinal,
    json,
  }: {
    requestId: number
    visit?: number
    ordinal: number
    json: string
  }): string => `${requestId}.${visit}.${ordinal} ${json}`
  return { items: items.map(placed), rejects: rejects.map((each) => `${each.source} ${placed(each)}`) }
}

async function keepsPlaces(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1', { handler: 'tea' })])
  await committed(frontier, {
    items: [
      { json: '{"n":0}', ordinal: 0 },
      { json: '{"n":3}', ordinal: 3 },
    ],
    rejects: [reject(1), reject(2, 'name: empty')],
  })

  expect(await placesOf(frontier)).toEqual({
    items: ['1.0.0 {"n":0}', '1.0.3 {"n":3}'],
    rejects: ['schema 1.0.1 {"n":1}', 'schema 1.0.2 {"n":2}'],
  })
  expect(await frontier.reader.rejects({ limit: 1 })).toEqual([
    {
      id: 1,
      source: SCHEMA_SOURCE,
      requestId: 1,
      url: 'https://a.example/1',
      hostKey: 'a.example',
      handler: 'tea',
      visit: 0,
      ordinal: 1,
      json: '{"n":1}',
      reason: 'price: not a number',
      at: 1_000,
    },
  ])
  expect(await frontier.reader.counts()).toMatchObject({ items: 2, rejects: 2 })
}

async function meetsItems(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  const failed = { kind: 'failed', reason: 'handler-threw', fetched: FETCHED } as const
  const page = { items: [{ json: '{"n":0}', ordinal: 0 }], rejects: [reject(1), reject(2)] }
  // What a page gave before it failed is not undone, so a store may be asked to put the same places twice.
  await frontier.commit([unitOf(lease, lease.requests[0], { ...page, outcome: failed })])
  await frontier.change({ kind: 'reopen', reasons: ['handler-threw'], limit: 9 })
  const again = await frontier.refill(lease, 9, 2_000)
  await frontier.commit([
    unitOf(lease, again.requests[0], {
      items: [{ json: '{"n":"one"}', ordinal: 1 }],
      rejects: [reject(0), reject(2, 'name: empty'), reject(3)],
    }),
  ])

  expect(await placesOf(frontier)).toEqual({
    items: ['1.0.0 {"n":0}', '1.0.1 {"n":"one"}'],
    rejects: ['schema 1.0.2 {"n":2}', 'schema 1.0.3 {"n":3}'],
  })
  expect(await frontier.reader.rejects({ limit: 1 })).toMatchObject([{ reason: 'name: empty' }])
  expect(await frontier.reader.counts()).toMatchObject({ items: 2, rejects: 2 })
}

async function tellsVisits(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await committed(frontier, {
    rejects: [reject(0)],
    outcome: { kind: 'done', fetched: FETCHED, again: { at: 5_000, skipped: 0 } },
  })
  const { requests } = await frontier.refill(lease, 9, 5_000)
  await frontier.commit([unitOf(lease, requests[0], { rejects: [reject(0)] })])

  expect((await placesOf(frontier)).rejects).toEqual(['schema 1.1.0 {"n":0}'])
}

async function refusesFencedUnits(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  const [request] = lease.requests
  const results = await frontier.commit([unitOf({ ...lease, epoch: lease.epoch + 1 }, request, { rejects: [reject(0)] })])

  expect(results.map(({ status }) => status)).toEqual(['fenced'])
  expect(await placesOf(frontier)).toEqual({ items: [], rejects: [] })
}

async function setsAside(make: () => FrontierStore): Promise<void> {
  const { store, frontier } = await openedWith(make, [newRequest('a.example/1')])
  await committed(frontier, { items: [{ json: '{"n":0}' }, { json: '{"n":1}' }], rejects: [reject(2)] })

  expect(await frontier.rejects.setAside([asideOf('pg', 1), asideOf('hook', 1)])).toBe(2)
  const again = await frontier.rejects.setAside([asideOf('pg', 1, { reason: 'x'.repeat(900), at: 6_000 })])
  expect(again).toBe(0)
  // No item is there.
  const none = await frontier.rejects.setAside([
    asideOf('pg', 2),
    asideOf('pg', 7),
    asideOf('pg', 0, { visit: 3 }),
    asideOf('pg', 0, { requestId: 9 }),
  ])
  expect(none).toBe(0)

  expect(await placesOf(frontier)).toEqual({
    items: ['1.0.0 {"n":0}', '1.0.1 {"n":1}'],
    rejects: ['schema 1.0.2 {"n":2}', 'pg 1.0.1 {"n":1}', 'hook 1.0.1 {"n":1}'],
  })
  const [ofPg] = await frontier.reader.rejects({ source: 'pg', limit: 9 })
  expect(ofPg).toMatchObject({ seq: 2, at: 6_000, reason: `${'x'.repeat(499)}…` })
  expect(await frontier.reader.counts()).toMatchObject({ items: 2, rejects: 3 })
  await frontier.close()
  const later = store.frontier()
  await later.open(SPEC, 9_000)
  expect((await placesOf(later)).rejects).toHaveLength(3)
}

async function listsThem(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('b.example/1')])
  await committed(frontier, { items: [{ json: '{}', ordinal: 2 }], rejects: [reject(0), reject(1)] })
  await committed(frontier, { rejects: [reject(0)] })
  await frontier.rejects.setAside([asideOf('pg', 2)])
  const list = async (query: object): Promise<string[]> =>
    (await frontier.reader.rejects({ limit: 9, ...query })).map(({ id, source, hostKey }) => `${id} ${source} ${hostKey}`)

  expect(await list({})).toEqual(['1 schema a.example', '2 schema a.example', '3 schema b.example', '4 pg a.example'])
  expect(await list({ limit: 2 })).toEqual(['1 schema a.example', '2 schema a.example'])
  expect(await list({ afterId: 2 })).toEqual(['3 schema b.example', '4 pg a.example'])
  expect(await list({ source: 'pg' })).toEqual(['4 pg a.example'])
  expect(await list({ hostKey: 'b.example' })).toEqual(['3 schema b.example'])
  expect(await list({ source: 'schema', hostKey: 'a.example', afterId: 1 })).toEqual(['2 schema a.example'])
}

async function groupsThem(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const names = Array.from({ length: MAX_REJECT_GROUPS + 5 }, (_, n) => `${'x'.repeat(n + 1)}: missing`)
  const rejects = [
    reject(0, 'offers[3].price: must be at least 0 (was -5)'),
    reject(1, 'offers[12].price: must be at least 0 (was -71)'),
    ...names.map((reason, n) => reject(n + 2, reason)),
  ]
  await committed(frontier, { items: [{ json: '{}', ordinal: 900 }], rejects })
  await frontier.rejects.setAside([asideOf('pg', 900)])

  const groups = (await frontier.reader.problems()).rejects
  expect(groups[0]).toEqual({
    source: SCHEMA_SOURCE,
    reason: 'offers[3].price: must be at least 0 (was -5)',
    count: 2,
    url: 'https://a.example/1',
  })
  const ofSource = (source: string): number =>
    groups.reduce((sum, group) => (group.source === source ? sum + group.count : sum), 0)
  expect(ofSource('schema')).toBe(rejects.length)
  expect(ofSource('pg')).toBe(1)
  expect(groups.filter(({ reason }) => reason === OTHER_REASONS).map(({ source }) => source)).toContain('schema')
  expect(groups.length).toBeLessThanOrEqual(MAX_REJECT_GROUPS + 2)
}
