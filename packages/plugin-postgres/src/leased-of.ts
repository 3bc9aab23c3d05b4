// A row that is handed out (schema/request-functions.sql.ts), as core has it.
import type { Leased } from '@avocet/core/store'
import { leasedRequestOf, type LeasedRequestRow } from '@avocet/store-sql'
import { fingerprintIn } from './identity/fingerprint-hex.ts'

type Value = string | number | null

/** [host, id, fingerprint, parent, rank, depth, handler, path, anchor, from delayed, path and origin of the parent, and what is rare]. */
export type LeasedRow = readonly [
  ...[host: number, id: number, fingerprint: string, parent: number | null, rank: number, depth: number, handler: number],
  ...[path: string, anchor: string | null, later: boolean, parentPath: string | null, parentOrigin: string | null],
  attempt: readonly Value[] | null,
  deaths: number | null,
  extra: readonly Value[] | null,
  visited: readonly Value[] | null,
]

/** Its host, and the word of its handler. */
interface Context {
  readonly hostKey: string
  readonly origin: string
  readonly handler: string
}

const ATTEMPT = ['attempts', 'free_attempts', 'state']
const EXTRA = ['method', 'headers', 'body', 'data', 'hops', 'redirected_from', 'identity', 'first_asked_at']
const VISITED = ['visits', 'dueAt', 'skipped', 'etag', 'lastModified', 'bodyHash', 'missing', 'missingSince', 'askedAt']

/** The request of `row`. */
export function leasedOf(row: LeasedRow, context: Context): Leased {
  const [, id, fingerprint, parent, rank, depth, , path, anchor, , parent_path, parent_origin, attempt, deaths, extra, visited] =
    row
  const known = { id, parent, rank, depth, path, anchor, parent_path, parent_origin, deaths }
  const named: LeasedRequestRow & Record<string, Value> = known
  fill(named, ATTEMPT, attempt)
  fill(named, EXTRA, extra)
  fill(named, VISITED, visited)
  return leasedRequestOf(named, { ...context, fingerprint: fingerprintIn(fingerprint) })
}

/** What few requests have. */
function fill(row: Record<string, Value>, columns: readonly string[], values: readonly Value[] | null): void {
  values?.forEach((value, n) => (row[columns[n] ?? ''] = value))
}
