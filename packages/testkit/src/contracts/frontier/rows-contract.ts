// Contract: rows of plugins' tables, written with the outcome and the items of their page or not at all; and orders of operators.
import type { Frontier, HostLease, TableChange, TableRow } from '@avocet/core/store'
import { Orders } from '@avocet/at-rest'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leasedOne, leaseOne, newRequests, openedWith, SPEC, unitOf } from './story.ts'

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
  const [result] = await frontier.commit([unitOf(lease, lease.requests[n], { table })])
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

/** What `order` and `reader.orders` promise; `shared`: also of several processes. */
export function ordersContract(make: () => FrontierStore, { shared }: { readonly shared: boolean }): void {
  describe('orders of operators', () => {
    it('have moments that rise, at the earliest when they were given, and are read behind one that is known', async () => {
      const { store, frontier } = await openedWith(make)
      await frontier.order(['"a"', '"b"'], { now: 5_000, drop: [] })
      await frontier.order(['"c"'], { now: 7, drop: [] })
      await frontier.order(['"d"'], { now: 9_000, drop: [5_000, 5_001] })
      await frontier.close()

      const { reader, ...next } = store.frontier()
      await next.open(SPEC, 9_000)
      const [c, d] = [
        { at: 5_002, json: '"c"' },
        { at: 9_000, json: '"d"' },
      ]
      expect(await reader.orders(0)).toEqual([c, d])
      expect(await reader.orders(5_002)).toEqual([d])
      expect(await reader.orders(9_000)).toEqual([])
      await next.close()
    })

    it.runIf(shared)('are heard by all processes; of those that are given at once none is lost', async () => {
      const { store, frontier } = await openedWith(make)
      const other = store.frontier()
      await other.open(SPEC, 0)
      const [seen, keys] = [new Orders(), [1, 2, 3, 4].map((n) => `h${n}.example`)]

      const orders = keys.map((hostKey, n) =>
        Orders.give(n % 2 === 0 ? frontier : other, { kind: 'forget-host', hostKey }, 5_000),
      )
      await Promise.all(orders)

      expect([...(await seen.hear(frontier.reader)).hosts].sort()).toEqual(keys)
      await Orders.give(other, { kind: 'pause' }, 1)
      expect(await seen.hear(frontier.reader)).toMatchObject({ paused: true, hosts: [] })
      await other.close()
      await frontier.close()
    })
  })
}
