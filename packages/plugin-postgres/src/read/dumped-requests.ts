// Requests as records of a dump, page by page: each table that may have something of them is read over the same range of ids, in its own order.
import type { DumpedRequest } from '@avocet/core/store'
import { dumpedRequestOf, type DumpedRequestRow } from '@avocet/store-sql'
import type { Snapshot } from '../connection/queries.ts'
import { fingerprintIn } from '../identity/known-cache.ts'

const AT_ONCE = 4_000

type StoredRow = Omit<DumpedRequestRow, keyof typeof NOTHING> & { readonly fingerprint: string }

const PAGE = `SELECT r.id, r.path, r.fingerprint, r.parent, r.depth, r.rank, r.anchor, h.key AS host_key, h.origin, w.word AS handler FROM (
    SELECT * FROM {S}.request WHERE id > $1 ORDER BY id LIMIT $2) r
  CROSS JOIN LATERAL (SELECT key, origin FROM {S}.host WHERE id = r.host LIMIT 1) h
  CROSS JOIN LATERAL (SELECT word FROM {S}.handler WHERE id = r.handler LIMIT 1) w ORDER BY r.id`

/** What other tables have of a range of requests. */
const MORE: readonly string[] = [
  `SELECT id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes, nullif(run, 0) AS run FROM {S}.attempt`,
  'SELECT id, method, headers, body, data, hops, redirected_from, identity, asked_at AS first_asked_at FROM {S}.extra',
  `SELECT t.id, (SELECT word FROM {S}.reason WHERE id = t.reason) AS reason, t.blame, t.target,
     (SELECT kind FROM {S}.handler_error WHERE id = t.error) AS error_kind FROM {S}.trouble t`,
  'SELECT id, not_before FROM {S}.delayed',
  'SELECT id, runs AS deaths FROM {S}.death',
  `SELECT id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since, asked_at, asked_by, page_at, page_visit FROM {S}.visited`,
].map((select) => `${select} WHERE id > $1 AND id <= $2`)

/** A request of which no other table has anything. */
const NOTHING = {
  ...{ state: null, attempts: null, free_attempts: null, fetched_at: null, status: null, duration_ms: null, wire_bytes: null },
  ...{ run: null, method: null, headers: null, body: null, data: null, hops: null, redirected_from: null },
  ...{ identity: null, first_asked_at: null, reason: null, blame: null, target: null, error_kind: null },
  ...{ not_before: null, deaths: null, visits: null, due_at: null, skipped: null },
  ...{ etag: null, last_modified: null, body_hash: null, missing: null, missing_since: null, asked_at: null, asked_by: null },
  ...{ page_at: null, page_visit: null },
} as const

/** All requests by id; returns how many there were. */
export async function* dumpedRequests(view: Snapshot, ids: DenseIds): AsyncGenerator<DumpedRequest, number> {
  let count = 0
  for (let after = 0; ;) {
    const rows = await view.all<StoredRow>(PAGE, [after, AT_ONCE])
    const upTo = rows.at(-1)?.id ?? after
    const more = await moreOf(view, after, upTo)
    for (const row of rows) yield recordOf({ ...NOTHING, ...row, ...more.get(row.id) }, ids)
    count += rows.length
    if (rows.length < AT_ONCE) return count
    after = upTo
  }
}

async function moreOf(view: Snapshot, after: number, upTo: number): Promise<ReadonlyMap<number, object>> {
  const found = new Map<number, object>()
  for (const select of MORE) {
    for (const row of await view.all<{ readonly id: number }>(select, [after, upTo])) {
      const other = found.get(row.id)
      if (other === undefined) found.set(row.id, row)
      else Object.assign(other, row)
    }
  }
  return found
}

function recordOf(row: DumpedRequestRow & { readonly fingerprint: string }, ids: DenseIds): DumpedRequest {
  const { id, parent, asked_by } = row
  const dense = { id: ids.of(id), parent: parent && ids.of(parent), asked_by: asked_by && ids.of(asked_by) }
  return dumpedRequestOf({ ...row, ...dense }, fingerprintIn(row.fingerprint))
}

// Ids of requests without gaps: the sequence of the server leaves some out, a dump none.
//
// Kept as runs of ids without a gap between them, so its size is that of the gaps, which come from URLs that two processes found at the same moment.

/** Rows that are looked at in one statement: half a second. */
const COUNTED_AT_ONCE = 1_000_000

const RUNS = `SELECT min(id) AS first, max(id) AS last FROM (
    SELECT id, id - row_number() OVER (ORDER BY id) AS shift FROM (SELECT id FROM {S}.request WHERE id > $1 ORDER BY id LIMIT $2) page) placed
  GROUP BY shift ORDER BY first`

/** Of one view of a store. */
export class DenseIds {
  readonly #firsts: number[] = []
  /** How many ids are missing before each. */
  readonly #missing: number[] = []
  #last = 0
  #count = 0

  static async read(view: Pick<Snapshot, 'all'>): Promise<DenseIds> {
    const ids = new DenseIds()
    for (;;) {
      const before = ids.#count
      for (const run of await view.all<{ readonly first: number; readonly last: number }>(RUNS, [ids.#last, COUNTED_AT_ONCE]))
        ids.#take(run)
      if (ids.#count - before < COUNTED_AT_ONCE) return ids
    }
  }

  /** The place of a request among all, from 1. */
  of(id: number): number {
    let [low, high] = [0, this.#firsts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#firsts[middle] ?? Infinity) <= id) low = middle
      else high = middle
    }
    return id - (this.#missing[low] ?? 0)
  }

  #take({ first, last }: { readonly first: number; readonly last: number }): void {
    const missing = first - 1 - this.#count
    if (this.#missing.at(-1) !== missing) {
      this.#firsts.push(first)
      this.#missing.push(missing)
    }
    this.#count += last - first + 1
    this.#last = last
  }
}
