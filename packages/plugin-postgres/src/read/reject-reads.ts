// Rejects as readers see them: one by one, and by groups of reasons.
import {
  MAX_REJECT_GROUPS,
  OTHER_REASONS,
  urlOf,
  type RejectGroup,
  type RejectQuery,
  type RejectRecord,
} from '@avocet/core/store'
import type { Queries } from '../connection/queries.ts'

interface RejectRow extends Omit<RejectRecord, 'requestId' | 'url' | 'hostKey' | 'seq' | 'retried'> {
  readonly request: number
  readonly path: string
  readonly origin: string
  readonly host_key: string
  readonly seq: number | null
  readonly is_retried: boolean
}

interface GroupRow {
  readonly source: string
  readonly reason: string
  readonly count: number
  readonly path: string | null
  readonly origin: string | null
}

const ROWS = `SELECT j.id, j.source, j.request, j.visit, j.ordinal, coalesce(j.json, i.json, '') AS json, j.reason, j.at, j.retried AS is_retried,
  g.base + i.n AS seq, r.path, h.origin, h.key AS host_key, w.word AS handler FROM {S}.reject j JOIN {S}.request r ON r.id = j.request
  JOIN {S}.host h ON h.id = r.host JOIN {S}.handler w ON w.id = r.handler
  LEFT JOIN {S}.item i ON j.json IS NULL AND i.request = j.request AND i.visit = j.visit AND i.ordinal = j.ordinal
  LEFT JOIN {S}.item_group g ON g.id = i.grp`

const GROUPS = `SELECT g.source, j.reason, g.count, r.path, h.origin FROM (
    SELECT source, kind, count(*) AS count, min(id) AS first FROM {S}.reject GROUP BY source, kind ORDER BY count DESC, first LIMIT ${MAX_REJECT_GROUPS}) g
  JOIN {S}.reject j ON j.id = g.first LEFT JOIN {S}.request r ON r.id = j.request LEFT JOIN {S}.host h ON h.id = r.host ORDER BY g.count DESC, g.first`

/** Reads them. */
export class RejectReads {
  readonly #queries: Queries

  constructor(queries: Queries) {
    this.#queries = queries
  }

  async select({ source, hostKey, afterId = 0, limit, retried }: RejectQuery): Promise<RejectRecord[]> {
    const rows = await this.#queries.all<RejectRow>(
      `${ROWS} WHERE ${retried === true ? 'j.retried AND' : ''} j.id > $1 AND ($2::text IS NULL OR j.source = $2)
       AND ($3::text IS NULL OR h.key = $3) ORDER BY j.id LIMIT $4`,
      [afterId, source ?? null, hostKey ?? null, limit],
    )
    return rows.map(({ request, path, origin, host_key: key, seq, is_retried: isRetried, ...row }) => ({
      id: row.id,
      source: row.source,
      requestId: request,
      url: urlOf(path, origin),
      hostKey: key,
      handler: row.handler,
      visit: row.visit,
      ordinal: row.ordinal,
      ...(seq !== null && { seq }),
      json: row.json,
      reason: row.reason,
      at: row.at,
      ...(isRetried && { retried: true as const }),
    }))
  }

  async groups(): Promise<RejectGroup[]> {
    const rows = await this.#queries.all<GroupRow>(GROUPS)
    const groups = rows.map(({ path, origin, ...row }) => ({ ...row, url: path === null ? '' : urlOf(path, origin ?? '') }))
    return groups.length < MAX_REJECT_GROUPS ? groups : [...groups, ...(await this.#others(groups))]
  }

  /** What is in none of `groups`, as one a source. */
  async #others(groups: readonly RejectGroup[]): Promise<RejectGroup[]> {
    const sources = await this.#queries.all<{ readonly source: string; readonly count: number }>(
      'SELECT source, count(*) AS count FROM {S}.reject GROUP BY source ORDER BY source',
    )
    return sources.flatMap(({ source, count }) => {
      const listed = groups.filter((group) => group.source === source)
      const left = count - listed.reduce((sum, group) => sum + group.count, 0)
      return left > 0 ? [{ source, reason: OTHER_REASONS, count: left, url: listed[0]?.url ?? '' }] : []
    })
  }
}
