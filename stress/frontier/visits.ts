// In full: what the visits of one request brought, the newest first.
import type { Frontier, HostLease, Outcome, VisitPage, VisitQuery } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { leaseOne, newRequest, openedWith, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

/** What `FrontierReader.visits` promises. */
export function visits(make: () => FrontierStore): void {
  describe('visits of a request', () => {
    it('are told with their items, the newest first', () => tellsThem(make))
    it('without items are told by the numbers of the others', () => skipsBarren(make))
    it('are told page by page', () => pagesThem(make))
    it('are cut at so many items of each, and at so many bytes of all', () => cutsThem(make))
    it('have the moment of the last page that a handler got', () => datesThem(make))
    it('of a page that was visited once have its moment', () => datesOne(make))
  })
}

const fetchedAt = (at: number, status = 200): { at: number; status: number; durationMs: number; wireBytes: number } => {
  return { at, status, durationMs: 50, wireBytes: 4_096 }
}
const WHOLE: VisitQuery = { requestId: 1, limit: 100, itemsPerVisit: 100, maxBytes: 1_000_000 }

/** A visit of a.example/1 at `now`, which is the number of its round in thousands. */
async function visit(frontier: Frontier, lease: HostLease, now: number, more: Parameters<typeof unitOf>[2]): Promise<void> {
  const outcome: Outcome = { kind: 'done', fetched: fetchedAt(now), again: { at: now + 1_000, skipped: 0 } }
  const { requests } = await frontier.refill(lease, 9, now)
  const unit = unitOf(lease, requests[0], { outcome, ...more })
  expect(await frontier.commit([unit])).toMatchObject([{ status: 'committed' }])
}

/** Visits with these items each, from 1,000 on, a thousand apart. */
async function visited(make: () => FrontierStore, visits: readonly (readonly string[])[]): Promise<Frontier> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier, { n: 0 })
  for (const [round, items] of visits.entries())
    await visit(frontier, lease, 1_000 * (round + 1), { items: items.map((json) => ({ json })) })
  return frontier
}

/** `2: "a" "b"`, and a dot where there are more. */
function shown({ visits, next }: VisitPage): string[] {
  const lines = visits.map(
    ({ visit: number, items, truncated }) => `${number}: ${items.map(({ json }) => json).join(' ')}${truncated ? ' …' : ''}`,
  )
  return next === undefined ? lines : [...lines, `before ${next}`]
}

async function tellsThem(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('a.example/2')])
  const lease = await leaseOne(frontier, { n: 0 })
  const [one, two] = (await frontier.refill(lease, 9, 0)).requests
  const outcome: Outcome = { kind: 'done', fetched: fetchedAt(1_000), again: { at: 2_000, skipped: 0 } }
  await frontier.commit([
    unitOf(lease, one, {
      outcome,
      items: [
        { json: '"a"', ordinal: 4 },
        { json: '"b"', ordinal: 2 },
      ],
    }),
  ])
  await frontier.commit([unitOf(lease, two, { items: [{ json: '"other"' }] })])
  await visit(frontier, lease, 2_000, { items: [{ json: '"c"' }] })

  const numbers = new Map((await frontier.reader.items({ afterSeq: 0, limit: 9 })).map(({ seq, json }) => [json, seq]))
  const about = { requestId: 1, url: 'https://a.example/1' }
  expect(await frontier.reader.visits(WHOLE)).toEqual({
    visits: [
      {
        visit: 1,
        fetchedAt: 2_000,
        items: [{ seq: numbers.get('"c"'), ...about, ordinal: 0, visit: 1, json: '"c"' }],
        truncated: false,
      },
      {
        visit: 0,
        items: [
          { seq: numbers.get('"b"'), ...about, ordinal: 2, json: '"b"' },
          { seq: numbers.get('"a"'), ...about, ordinal: 4, json: '"a"' },
        ],
        truncated: false,
      },
    ],
  })
  expect(shown(await frontier.reader.visits({ ...WHOLE, requestId: 2 }))).toEqual(['0: "other"'])
  expect(await frontier.reader.visits({ ...WHOLE, requestId: 99 })).toEqual({ visits: [] })
}

async function skipsBarren(make: () => FrontierStore): Promise<void> {
  const { reader } = await visited(make, [[], ['1'], [], [], ['2'], []])

  expect(shown(await reader.visits(WHOLE))).toEqual(['4: 2', '1: 1'])
}

async function pagesThem(make: () => FrontierStore): Promise<void> {
  const { reader } = await visited(make, [['0', '0'], ['1'], [], ['3'], ['4']])

  expect(shown(await reader.visits({ ...WHOLE, limit: 2 }))).toEqual(['4: 4', '3: 3', 'before 3'])
  expect(shown(await reader.visits({ ...WHOLE, limit: 2, before: 3 }))).toEqual(['1: 1', '0: 0 0'])
  expect(shown(await reader.visits({ ...WHOLE, limit: 2, before: 0 }))).toEqual([])
}

async function cutsThem(make: () => FrontierStore): Promise<void> {
  const { reader } = await visited(make, [['0'], ['10', '11', '12'], ['20', '21']])

  expect(shown(await reader.visits({ ...WHOLE, itemsPerVisit: 2 }))).toEqual(['2: 20 21', '1: 10 11 …', '0: 0'])
  // Up to the item that exceeds them: one at least.
  expect(shown(await reader.visits({ ...WHOLE, maxBytes: 5 }))).toEqual(['2: 20 21', '1: 10 …', 'before 1'])
  expect(shown(await reader.visits({ ...WHOLE, maxBytes: 1 }))).toEqual(['2: 20 …', 'before 2'])
  expect(shown(await reader.visits({ ...WHOLE, maxBytes: 2, itemsPerVisit: 1 }))).toEqual(['2: 20 …', '1: 10 …', 'before 1'])
}

async function datesThem(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier, { n: 0 })
  const items = [{ json: '1' }]
  const moments = async (): Promise<unknown> => (await frontier.reader.visits(WHOLE)).visits.map((each) => each.fetchedAt ?? null)
  await visit(frontier, lease, 1_000, { items })
  await visit(frontier, lease, 2_000, { items })
  expect(await moments()).toEqual([2_000, null])

  // What was fetched since then brought no page, or none yet.
  const again = { at: 4_000, skipped: 0 }
  const unchanged: Outcome = { kind: 'done', reason: 'unchanged', fetched: fetchedAt(3_000, 304), again }
  await visit(frontier, lease, 3_000, { outcome: unchanged })
  await visit(frontier, lease, 4_000, { outcome: { kind: 'failed', reason: 'http-503', fetched: fetchedAt(4_000, 503), again } })
  expect(await moments()).toEqual([2_000, null])
  const retry: Outcome = { kind: 'retry', at: 5_000, counted: true, reason: 'http-503', fetched: fetchedAt(4_500, 503) }
  await visit(frontier, lease, 4_500, { outcome: retry })
  expect(await moments()).toEqual([2_000, null])
  // A page of which a handler made nothing.
  await visit(frontier, lease, 5_000, {})
  expect(await moments()).toEqual([null, null])
}

async function datesOne(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  await frontier.commit([unitOf(lease, lease.requests[0], { items: [{ json: '1' }] })])

  expect(await frontier.reader.visits(WHOLE)).toMatchObject({ visits: [{ visit: 0, fetchedAt: 1_000 }] })
}
