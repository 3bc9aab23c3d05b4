// Contract: rows of plugins' tables. Written with the outcome and the items of their page, or not at all.
import type { Frontier, HostLease, TableChange, TableRow } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { SPEC, leaseOne, leasedOne, newRequests, openedWith, turnOf } from './story.ts'

/** What `CommitUnit.table`, `Frontier.tableRows` and `FrontierReader.table` promise. */
export function tableContract(make: () => FrontierStore): void {
  describe('tables of plugins', () => {
    it('are written, replaced and deleted by key with their pages, and survive a crash', () => keepsRows(make))
    it('are not touched by a unit that is repeated, bad or fenced', () => leavesRows(make))
  })
}

const row = (key: string, json: string | null, plugin = 'seen'): TableChange => ({ plugin, key, json })
const ALL = { plugin: 'seen', limit: 10 }

async function written(frontier: Frontier, lease: HostLease, n: number, table: readonly TableChange[]): Promise<string> {
  const [result] = await frontier.commit([turnOf(lease, lease.requests[n], { table })])
  return result?.status ?? ''
}

async function keepsRows(make: () => FrontierStore): Promise<void> {
  const { frontier, store } = await openedWith(make, newRequests(3))
  const lease = await leaseOne(frontier)
  const odd = 'é "quoted"\\ 价格'
  await written(frontier, lease, 0, [row('b', '1'), row('a', '{"n":"\\u0000"}'), row(odd, '2'), row('b', '9', 'other')])
  await written(frontier, lease, 1, [row('b', '3'), row('a', null), row('never', null)])

  expect(await found(frontier, 'a', 'b', odd)).toEqual([row('b', '3'), row(odd, '2')])
  expect(await frontier.reader.table({ plugin: 'other', limit: 9 })).toEqual([row('b', '9', 'other')])
  expect(await frontier.reader.table({ ...ALL, limit: 1 })).toEqual([row('b', '3')])
  expect(await frontier.reader.table({ ...ALL, afterKey: 'b' })).toEqual([row(odd, '2')])

  await store.crash?.()
  const next = store.frontier()
  await next.open(SPEC, 0)
  expect(await found(next, 'b', 'a')).toEqual([row('b', '3')])
  expect(await next.tableRows([{ plugin: 'nobody', key: 'b' }])).toEqual([])
}

async function leavesRows(make: () => FrontierStore): Promise<void> {
  const { frontier, lease } = await leasedOne(make, newRequests(2))
  expect(await written(frontier, lease, 0, [row('a', '1')])).toBe('committed')
  expect(await written(frontier, lease, 0, [row('a', '2')])).toBe('committed')

  for (const key of ['', 'x'.repeat(513), 'a\0', '\ud800'])
    expect(await written(frontier, lease, 1, [row(key, '3')])).toBe('rejected')
  expect(await written(frontier, { ...lease, epoch: lease.epoch + 1 }, 1, [row('a', '4')])).toBe('fenced')

  expect(await frontier.reader.table(ALL)).toEqual([row('a', '1')])
}

async function found(frontier: Frontier, ...keys: readonly string[]): Promise<readonly TableRow[]> {
  const rows = await frontier.tableRows(keys.map((key) => ({ plugin: 'seen', key })))
  return rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
