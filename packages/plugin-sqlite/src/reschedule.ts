// Known requests that become due at another moment: failed ones are reopened or dropped, settled ones scheduled for a recrawl, or taken off it.
//
// All of them go among the delayed, never into a span: those have what was never tried. A process that has the host leased finds them when it renews,
// as it finds links. What this process has handed out is left alone: its outcome will come.
import { requestLaws, type ChangeOf } from '@avocet/core/store'
import { STATES } from '@avocet/store-sql'
import type { StoredRequest } from './outcome/outcome-table.ts'
import type { Store } from './store.ts'

const [WAITING, FAILED] = [STATES.indexOf('waiting'), STATES.indexOf('failed')]

/** Requests, with the reason of those that failed. */
interface FoundRow {
  readonly id: number
  readonly reason: string | null
}

/** Changes known requests, oldest first; returns how many were reopened or dropped. Within a transaction. */
export function reschedule(store: Store, change: ChangeOf<'reopen' | 'drop' | 'revisit'>): number {
  if (change.kind === 'reopen') return reopen(store, change)
  if (change.kind === 'drop') return drop(store, change)
  return revisit(store, change.wanted)
}

/** Failed requests wait again, as due at once. */
function reopen(store: Store, query: ChangeOf<'reopen'>): number {
  // One that is due again and handed out is being requested already.
  const opened = failedRows(store, query).filter(({ id }) => changed(store, id, requestLaws.reopened))
  for (const { id } of opened) store.owners.clearSuspicion(id)
  store.save()
  return opened.length
}

/** Schedules the next recrawl of settled requests, or takes them off it: their rule came or went while nobody crawled. */
function revisit(store: Store, wanted: ChangeOf<'revisit'>['wanted']): number {
  for (const { id, at } of wanted) changed(store, id, (was) => requestLaws.revisited(was, at))
  store.save()
  return 0
}

/** Changes a request that is not handed out here, and is in no span; whether it did. */
function changed(store: Store, id: number, law: (was: StoredRequest) => StoredRequest): boolean {
  const was = store.outcomes.read(id)
  const host = was && store.hosts.get(was.host)
  if (was === undefined || host === undefined || (store.held.get(host.key)?.out.has(id) ?? false)) return false
  const now = law(was)
  if (now !== was) store.outcomes.change(host, was, was, now)
  return now !== was
}

// Drops given-up requests: failed ones get a reason that says so, those that wait under a host that was given up fail with it.
//
// What is handed out will have an outcome of its own, so of what waits only that of hosts which nobody holds is taken: what their last holder had handed out
// is simply waiting.

const UNDER_RETIRED = `SELECT r.id, NULL AS reason FROM request r LEFT JOIN attempt a ON a.id = r.id
  WHERE coalesce(a.state, ${WAITING}) = ${WAITING} AND r.host IN (SELECT id FROM host WHERE retired_for IS NOT NULL AND owner IS NULL)`
/** Given up, and not dropped before. */
const NOT_DROPPED = `AND (NOT EXISTS (SELECT 1 FROM delayed d WHERE d.id = a.id) OR EXISTS (SELECT 1 FROM visited v WHERE v.id = a.id AND v.missing < 0))
  AND coalesce(w.word, '') NOT GLOB '${requestLaws.DROPPED_PREFIX}*'`

function drop(store: Store, query: ChangeOf<'drop'>): number {
  const isWaiting = query.underRetired === true
  const rows = isWaiting ? found(store, UNDER_RETIRED, query) : failedRows(store, query, NOT_DROPPED)
  for (const { id, reason } of rows) {
    const was = store.outcomes.read(id)
    const host = was && store.hosts.get(was.host)
    if (was === undefined || host === undefined) continue
    if (isWaiting && was.notBefore === null) store.queue.leave(host, was)
    const dropped = isWaiting ? requestLaws.DROPPED_WITH_HOST : requestLaws.droppedReason(reason ?? '')
    store.outcomes.drop(host, was, dropped ?? '')
    store.owners.clearSuspicion(id)
  }
  store.save()
  return rows.length
}

function failedRows(store: Store, query: ChangeOf<'reopen' | 'drop'>, which = ''): readonly FoundRow[] {
  const failed = `SELECT r.id, w.word AS reason FROM attempt a JOIN request r ON r.id = a.id LEFT JOIN trouble t ON t.id = a.id
    LEFT JOIN reason w ON w.id = t.reason WHERE a.state = ${FAILED} ${which}`
  return found(
    store,
    query.reasons === undefined ? failed : `${failed} AND w.word IN (SELECT value FROM json_each(@reasons))`,
    query,
  )
}

/** Those of a query, oldest first. */
function found(
  { db }: Store,
  select: string,
  { hostKey, reasons, ids, limit }: ChangeOf<'reopen' | 'drop'>,
): readonly FoundRow[] {
  const host = hostKey === undefined ? '' : 'AND r.host = (SELECT id FROM host WHERE key = @hostKey)'
  const named = ids === undefined ? '' : 'AND r.id IN (SELECT value FROM json_each(@ids))'
  const statement = db.prepare<unknown[], FoundRow>(`${select} ${host} ${named} ORDER BY r.id LIMIT @limit`)
  return statement.all({ hostKey, reasons: JSON.stringify(reasons ?? []), ids: JSON.stringify(ids ?? []), limit })
}
