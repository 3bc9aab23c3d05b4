// Drops given-up requests: failed ones get a reason that says so, those that wait under a host that was given up fail with it.
//
// What is handed out will have an outcome of its own, so of what waits only that of hosts which nobody holds is taken: what their last holder had handed out
// is simply waiting.
import { DROPPED_PREFIX, DROPPED_WITH_HOST, droppedReason, type DropQuery } from '@avocet/core/store'
import { STATES } from '@avocet/store-sql'
import type { StoredHost } from './queue/host-table.ts'
import type { Store } from './store.ts'

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
