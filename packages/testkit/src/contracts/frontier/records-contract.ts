// Contract: what documents of plugins yield. Committed with their outcome, once at each place, and counted with no item.
import type { CommitUnit, Frontier, HostLease, ItemRecord, Outcome } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leaseOne, leasedOne, newRequest, openedWith, unitOf } from './story.ts'

/** What `CommitUnit.records` and `ItemQuery.recordsOf` promise. */
export function recordsContract(make: () => FrontierStore): void {
  describe('records of documents', () => {
    it('are kept with their document and place, in commit order, and are no items', () => keepsThem(make))
    it('are listed by number and by handler', () => listsThem(make))
    it('are there once at each place of a visit, however often they come', () => keepsFirst(make))
    it('are not part of a unit that is fenced', () => refusesFencedUnits(make))
  })
}

const FETCHED = { at: 1_000, status: 200, durationMs: 50, wireBytes: 4_096 }

/** Done, and to be visited again at `at`. */
const doneUntil = (at: number): Outcome => ({ kind: 'done', fetched: FETCHED, again: { at, skipped: 0 } })
const rows = (...numbers: readonly number[]): { records: CommitUnit['records'] & object } => ({
  records: numbers.map((n) => ({ json: `{"n":${n}}` })),
})
const all = ({ reader }: Frontier): Promise<readonly ItemRecord[]> => reader.items({ recordsOf: 'files/file' })
const placed = ({ requestId, visit = 0, ordinal, json }: ItemRecord): string => `${requestId}.${visit}.${ordinal} ${json}`

async function committed(frontier: Frontier, more: Partial<CommitUnit>, now = 0): Promise<HostLease> {
  const lease = await leaseOne(frontier, { now })
  const results = await frontier.commit([unitOf(lease, lease.requests[0], more)])
  expect(results.map(({ status }) => status)).toEqual(['committed'])
  await frontier.release([{ lease, rest: { readyAt: now, memory: {} } }])
  return lease
}

async function keepsThem(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1.pdf', { handler: 'files/file' })])
  expect(await frontier.reader.counts()).not.toHaveProperty('records')
  await committed(frontier, rows(0, 1))

  const about = { requestId: 1, url: 'https://a.example/1.pdf' }
  expect(await all(frontier)).toEqual([
    { seq: 1, ...about, ordinal: 0, json: '{"n":0}' },
    { seq: 2, ...about, ordinal: 1, json: '{"n":1}' },
  ])
  expect(await frontier.reader.items({ afterSeq: 0, limit: 9 })).toEqual([])
  expect(await frontier.reader.counts()).toMatchObject({ items: 0, done: 1, records: 2 })
}

async function listsThem(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [
    newRequest('a.example/1.pdf', { handler: 'files/file' }),
    newRequest('b.example/feed', { handler: 'feeds/entry' }),
    newRequest('c.example/2.pdf', { handler: 'files/file' }),
  ])
  for (let n = 1; n <= 3; n++) await committed(frontier, rows(n))

  const whole = await all(frontier)
  expect(whole.map(({ url }) => url).toSorted()).toEqual(['https://a.example/1.pdf', 'https://c.example/2.pdf'])
  const first = await frontier.reader.items({ recordsOf: 'files/file', limit: 1 })
  const rest = await frontier.reader.items({ recordsOf: 'files/file', afterSeq: first[0]?.seq ?? 0 })
  expect([...first, ...rest]).toEqual(whole)
  expect(await frontier.reader.items({ recordsOf: 'feeds/entry' })).toMatchObject([{ url: 'https://b.example/feed' }])
  expect(await frontier.reader.items({ recordsOf: 'nobody/nothing' })).toEqual([])
}

async function keepsFirst(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1.pdf', { handler: 'files/file' })])
  await committed(frontier, { ...rows(1), outcome: doneUntil(5_000) })
  await committed(frontier, { ...rows(2), outcome: doneUntil(9_000) }, 5_000)
  expect((await all(frontier)).map(placed)).toEqual(['1.0.0 {"n":1}', '1.1.0 {"n":2}'])

  const failed = newRequest('b.example/2.pdf', { handler: 'files/file' })
  await frontier.add([failed])
  const outcome: Outcome = { kind: 'failed', reason: 'handler-threw', fetched: FETCHED }
  await committed(frontier, { ...rows(3), outcome }, 5_000)
  await frontier.change({ kind: 'reopen', reasons: ['handler-threw'], limit: 9 })
  await committed(frontier, rows(4, 5), 5_000)
  expect((await all(frontier)).map(placed).slice(2)).toEqual(['2.0.0 {"n":3}', '2.0.1 {"n":5}'])
}

async function refusesFencedUnits(make: () => FrontierStore): Promise<void> {
  const { frontier, lease } = await leasedOne(make, [newRequest('a.example/1.pdf', { handler: 'files/file' })])
  const [request] = lease.requests
  const stale = { ...unitOf(lease, request, rows(1)), lease: { hostKey: lease.hostKey, epoch: lease.epoch - 1 } }
  expect((await frontier.commit([stale])).map(({ status }) => status)).toEqual(['fenced'])
  expect(await all(frontier)).toEqual([])
}
