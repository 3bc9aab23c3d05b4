// Failed requests, and pages whose links were cut, wait again: taken out of the failures that they were counted in, and put among the delayed as due since ever.
//
// Not into a span: those hold what was never tried. A holder of the host in another process finds them when it renews, as it finds links.
import type { ReopenQuery } from '@avocet/core'
import { STATES } from '../file/schema.ts'
import type { Store } from '../store.ts'

interface SettledRow {
  readonly id: number
  readonly host: number
  readonly rank: number
  readonly state: number
}

/** Opens what `query` names, oldest first; returns how many. Within a transaction. */
export function reopenSettled(store: Store, { hostKey, reasons, ids, cut, limit }: ReopenQuery): number {
  // Pages of which links wait are read in the order of their own table: a store may know millions that failed.
  const from = cut
    ? 'cut t CROSS JOIN attempt a ON a.id = t.id CROSS JOIN request r ON r.id = t.id'
    : 'attempt a JOIN request r ON r.id = a.id LEFT JOIN trouble t ON t.id = a.id'
  const id = cut ? 't.id' : 'a.id'
  const where = [cut ? 'a.state <> 0' : `a.state = ${STATES.indexOf('failed')}`]
  const values: unknown[] = []
  const narrow = (condition: string, value: unknown): void => {
    where.push(condition)
    values.push(value)
  }
  if (hostKey !== undefined) narrow('r.host = (SELECT id FROM host WHERE key = ?)', hostKey)
  if (reasons !== undefined)
    narrow('t.reason IN (SELECT id FROM reason WHERE word IN (SELECT value FROM json_each(?)))', JSON.stringify(reasons))
  if (ids !== undefined) narrow(`${id} IN (SELECT value FROM json_each(?))`, JSON.stringify(ids))
  const settled = store.db.prepare<unknown[], SettledRow>(
    `SELECT r.id, r.host, r.rank, a.state FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${id} LIMIT ?`,
  )
  const rows = settled.all(...values, limit)
  const opened = rows.filter((row) => reopen(store, row))
  store.save()
  return opened.length
}

function reopen(store: Store, { id, host: hostId, rank, state }: SettledRow): boolean {
  const host = store.hosts.get(hostId)
  const was = STATES[state] ?? 'waiting'
  // One that is due again and handed out is being asked for already.
  if (host === undefined || was === 'waiting' || (store.visits.get(host.key)?.out.has(id) ?? false)) return false
  // One that failed after it was there may be due again later.
  if (store.queue.undelay(host, id)) store.outcomes.countAgain(host, -1)
  store.outcomes.reopen(host, id, was)
  store.queue.delay(host, { id, rank }, 0)
  store.owners.absolve(id)
  return true
}
