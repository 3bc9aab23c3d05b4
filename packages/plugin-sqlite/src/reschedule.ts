// Known requests that become due at another moment: failed ones are reopened, delayed ones hastened, settled ones scheduled for a recrawl, or taken off it.
//
// All of them go among the delayed, never into a span: those have what was never tried. A process that has the host leased finds them when it renews,
// as it finds links. What this process has handed out is left alone: its outcome will come.
import {
  type Frontier,
  type HastenQuery,
  type ReopenQuery,
  DROPPED_PREFIX,
  DROPPED_WITH_HOST,
  droppedReason,
  type DropQuery,
} from '@avocet/core/store'
import { STATES } from '@avocet/store-sql'
import type { Store } from './store.ts'
import type { StoredHost } from './queue/host-table.ts'

interface RequestRow {
  readonly id: number
  readonly host: number
  readonly rank: number
}

/** Failed requests wait again, as due at once, oldest first; returns how many. Within a transaction. */
export function reopenFailed(store: Store, { hostKey, reasons, ids, limit }: ReopenQuery): number {
  const where = [`a.state = ${STATES.indexOf('failed')}`]
  const values: unknown[] = []
  const narrow = (condition: string, value: unknown): void => {
    where.push(condition)
    values.push(value)
  }
  if (hostKey !== undefined) narrow('r.host = (SELECT id FROM host WHERE key = ?)', hostKey)
  if (reasons !== undefined)
    narrow('t.reason IN (SELECT id FROM reason WHERE word IN (SELECT value FROM json_each(?)))', JSON.stringify(reasons))
  if (ids !== undefined) narrow('a.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids))
  const query = store.db.prepare<unknown[], RequestRow>(
    `SELECT r.id, r.host, r.rank FROM attempt a JOIN request r ON r.id = a.id LEFT JOIN trouble t ON t.id = a.id
     WHERE ${where.join(' AND ')} ORDER BY a.id LIMIT ?`,
  )
  const rows = query.all(...values, limit)
  const opened = rows.filter((row) => reopen(store, row))
  store.save()
  return opened.length
}

function reopen(store: Store, { id, host: hostId, rank }: RequestRow): boolean {
  const host = store.hosts.get(hostId)
  // One that is due again and handed out is being requested already.
  if (host === undefined || (store.held.get(host.key)?.out.has(id) ?? false)) return false
  // One that failed after it was there may be due again later.
  if (store.queue.undelay(host, id)) store.outcomes.countAgain(host, -1)
  store.outcomes.reopen(host, id)
  store.queue.delay(host, { id, rank }, 0)
  store.owners.clearSuspicion(id)
  return true
}

/** Requests that were put back for `query.reason` are due at once, oldest first; returns how many. Within a transaction. */
export function hasten(store: Store, { reason, now, limit }: HastenQuery): number {
  const { db, hosts, queue, held } = store
  // The word was written when the first one was put back.
  const word = db.prepare<unknown[], number>('SELECT id FROM reason WHERE word = ?').pluck().get(reason)
  if (word === undefined) return 0
  // From the delayed, which are few, to their reasons: a store may know millions of those.
  const delayed = db.prepare<unknown[], RequestRow>(
    `SELECT d.id, d.host, d.rank FROM delayed d CROSS JOIN trouble t ON t.id = d.id CROSS JOIN attempt a ON a.id = d.id
     WHERE t.reason = ? AND a.state = ${STATES.indexOf('waiting')} AND d.not_before > ? ORDER BY d.id LIMIT ?`,
  )
  let count = 0
  for (const { id, host: hostId, rank } of delayed.all(word, now, limit)) {
    const host = hosts.get(hostId)
    if (host === undefined || (held.get(host.key)?.out.has(id) ?? false)) continue
    queue.undelay(host, id)
    queue.delay(host, { id, rank }, 0)
    count++
  }
  store.save()
  return count
}

type Wanted = Parameters<Frontier['revisit']>[0][number]

/** Schedules the next recrawl of settled requests, or takes them off it: their rule came or went while nobody crawled. Within a transaction. */
export function revisit(store: Store, wanted: readonly Wanted[]): void {
  for (const each of wanted) revisitOne(store, each)
  store.save()
}

function revisitOne(store: Store, { id, at }: Wanted): void {
  const { queue, outcomes, recrawls } = store
  const host = outcomes.isSettled(id) ? store.hostOf(id) : undefined
  if (host === undefined || (store.held.get(host.key)?.out.has(id) ?? false)) return
  // What a link or a seed asked for is due whatever the rules say.
  if (recrawls.standingOf(id)?.isAsked === 1) return
  if (queue.undelay(host, id)) outcomes.countAgain(host, -1)
  if (at === undefined) return
  recrawls.schedule(id, at)
  outcomes.renew(id)
  outcomes.countAgain(host, 1)
  queue.delay(host, { id, rank: store.rankOf(id) }, Math.ceil(at))
}

// Drops given-up requests: failed ones get a reason that says so, those that wait under a host that was given up fail with it.
//
// What is handed out will have an outcome of its own, so of what waits only that of hosts which nobody holds is taken: what their last holder had handed out
// is simply waiting.

interface GivenUpRow {
  readonly id: number
  readonly host: number
  readonly rank: number
  readonly reason: string | null
}

const [WAITING, FAILED] = [STATES.indexOf('waiting'), STATES.indexOf('failed')]
/** Failed, not due again, and not dropped before. */
const FAILED_ONES = `attempt a JOIN request r ON r.id = a.id LEFT JOIN trouble t ON t.id = a.id LEFT JOIN reason w ON w.id = t.reason
  WHERE a.state = ${FAILED} AND NOT EXISTS (SELECT 1 FROM delayed d WHERE d.id = a.id)`
const UNDER_RETIRED = `request r LEFT JOIN attempt a ON a.id = r.id
  WHERE coalesce(a.state, ${WAITING}) = ${WAITING} AND r.host IN (SELECT id FROM host WHERE retired_for IS NOT NULL AND owner IS NULL)`

/** Drops them, oldest first; returns how many. Within a transaction. */
export function drop(store: Store, query: DropQuery): number {
  const rows = query.underRetired === true ? waitingRows(store, query) : failedRows(store, query)
  for (const { id, host: hostId, rank, reason } of rows) {
    const host = store.hosts.get(hostId)
    if (host === undefined) continue
    if (query.underRetired === true) dropWaiting(store, host, { id, rank })
    else store.outcomes.replace(host, id, { kind: 'failed', reason: droppedReason(reason ?? '') ?? '' })
    store.owners.clearSuspicion(id)
  }
  store.save()
  return rows.length
}

function failedRows(store: Store, { reasons, ...query }: DropQuery): readonly GivenUpRow[] {
  const wanted = reasons === undefined ? '' : 'AND w.word IN (SELECT value FROM json_each(?))'
  const { where, values } = narrowed(query)
  const rows = store.db.prepare<unknown[], GivenUpRow>(
    `SELECT r.id, r.host, r.rank, w.word AS reason FROM ${FAILED_ONES} AND coalesce(w.word, '') NOT GLOB ? || '*' ${wanted} ${where} ORDER BY a.id LIMIT ?`,
  )
  return rows.all(DROPPED_PREFIX, ...(reasons === undefined ? [] : [JSON.stringify(reasons)]), ...values, query.limit)
}

function waitingRows(store: Store, query: DropQuery): readonly GivenUpRow[] {
  const { where, values } = narrowed(query)
  const rows = store.db.prepare<unknown[], GivenUpRow>(
    `SELECT r.id, r.host, r.rank, NULL AS reason FROM ${UNDER_RETIRED} ${where} ORDER BY r.id LIMIT ?`,
  )
  return rows.all(...values, query.limit)
}

function narrowed({ hostKey, ids }: Pick<DropQuery, 'hostKey' | 'ids'>): { readonly where: string; readonly values: unknown[] } {
  const host = hostKey === undefined ? '' : 'AND r.host = (SELECT id FROM host WHERE key = ?)'
  const named = ids === undefined ? '' : 'AND r.id IN (SELECT value FROM json_each(?))'
  const values = [...(hostKey === undefined ? [] : [hostKey]), ...(ids === undefined ? [] : [JSON.stringify(ids)])]
  return { where: `${host} ${named}`, values }
}

function dropWaiting(
  { queue, outcomes }: Store,
  host: StoredHost,
  request: { readonly id: number; readonly rank: number },
): void {
  if (!queue.undelay(host, request.id)) queue.leave(host, request)
  outcomes.replace(host, request.id, { kind: 'failed', reason: DROPPED_WITH_HOST })
}
