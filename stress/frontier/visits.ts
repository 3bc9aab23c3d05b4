// In full: what the visits of one request brought, the newest first.
import type { Frontier, HostLease, ItemRecord, Outcome, RequestRecord } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { leaseOne, newRequest, openedWith, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

/** What `FrontierReader.itemsOfRequest` and `RequestRecord.lastPage` promise. */
export function visits(make: () => FrontierStore): void {
  describe('visits of a request', () => {
    it('are told with their items, the newest first', () => tellsThem(make))
    it('are told page by page', () => pagesThem(make))
    it('have the moment of the last page that a handler got', () => datesThem(make))
    it('of a page that was visited once have its moment', () => datesOne(make))
  })
}

const fetchedAt = (at: number, status = 200): { at: number; status: number; durationMs: number; wireBytes: number } => {
  return { at, status, durationMs: 50, wireBytes: 4_096 }
}

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

  const numbers = new Map((await frontier.reader.items({})).map(({ seq, json }) => [json, seq]))
  const about = { requestId: 1, url: 'https://a.example/1' }
  expect(await frontier.reader.itemsOfRequest({ requestId: 1, limit: 100 })).toEqual([
    { seq: numbers.get('"c"'), ...about, ordinal: 0, visit: 1, json: '"c"' },
    { seq: numbers.get('"a"'), ...about, ordinal: 4, json: '"a"' },
    { seq: numbers.get('"b"'), ...about, ordinal: 2, json: '"b"' },
  ])
  expect(await frontier.reader.itemsOfRequest({ requestId: 2, limit: 100 })).toMatchObject([{ json: '"other"' }])
  expect(await frontier.reader.itemsOfRequest({ requestId: 99, limit: 100 })).toEqual([])
}

async function pagesThem(make: () => FrontierStore): Promise<void> {
  const { reader } = await visited(make, [['0', '1'], ['10', '11'], [], ['30'], ['40']])

  const pages: (readonly string[])[] = []
  for (let before: ItemRecord | undefined, isMore = true; isMore;) {
    const page = await reader.itemsOfRequest({ requestId: 1, limit: 3, ...(before && { before }) })
    pages.push(page.map(({ json }) => json))
    before = page.at(-1)
    isMore = page.length === 3
  }
  expect(pages).toEqual([['40', '30', '11'], ['10', '1', '0'], []])
}

async function datesThem(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier, { n: 0 })
  const items = [{ json: '1' }]
  const lastPage = async (): Promise<RequestRecord['lastPage']> => (await frontier.reader.requests({}))[0]?.lastPage
  await visit(frontier, lease, 1_000, { items })
  await visit(frontier, lease, 2_000, { items })
  expect(await lastPage()).toEqual({ at: 2_000, visit: 1 })

  // What was fetched since then brought no page, or none yet.
  const again = { at: 4_000, skipped: 0 }
  const unchanged: Outcome = { kind: 'done', reason: 'unchanged', fetched: fetchedAt(3_000, 304), again }
  await visit(frontier, lease, 3_000, { outcome: unchanged })
  await visit(frontier, lease, 4_000, { outcome: { kind: 'failed', reason: 'http-503', fetched: fetchedAt(4_000, 503), again } })
  expect(await lastPage()).toEqual({ at: 2_000, visit: 1 })
  const retry: Outcome = { kind: 'retry', at: 5_000, counted: true, reason: 'http-503', fetched: fetchedAt(4_500, 503) }
  await visit(frontier, lease, 4_500, { outcome: retry })
  expect(await lastPage()).toEqual({ at: 2_000, visit: 1 })
  // A page of which a handler made nothing.
  await visit(frontier, lease, 5_000, {})
  expect(await lastPage()).toEqual({ at: 5_000, visit: 4 })
}

async function datesOne(make: () => FrontierStore): Promise<void> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  const lease = await leaseOne(frontier)
  await frontier.commit([unitOf(lease, lease.requests[0], { items: [{ json: '1' }] })])

  expect(await frontier.reader.requests({})).toMatchObject([{ lastPage: { at: 1_000, visit: 0 } }])
}
