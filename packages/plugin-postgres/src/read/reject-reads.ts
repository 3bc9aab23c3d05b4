// Rejects as readers see them: one by one, and by groups of reasons.
import { MAX_REJECT_GROUPS, type RejectGroup, type RejectQuery, type RejectRecord } from '@avocet/core/store'
import { rejectGroupsOf, rejectRecordOf, type RejectCount, type RejectGroupRow, type RejectRecordRow } from '@avocet/store-sql'
import { storedWord } from '../names/stored-word.ts'
import type { Queries } from '../connection/queries.ts'

const ROWS = `SELECT j.id, j.source, j.request, j.visit, j.ordinal, coalesce(j.json, i.json, '') AS json, j.reason, j.at, j.retried,
  g.base + i.n AS seq, r.path, h.origin, h.key AS host_key, w.word AS handler FROM {S}.reject j JOIN {S}.request r ON r.id = j.request
  JOIN {S}.host h ON h.id = r.host JOIN {S}.handler w ON w.id = r.handler
  LEFT JOIN {S}.item i ON j.json IS NULL AND i.request = j.request AND i.visit = j.visit AND i.ordinal = j.ordinal
  LEFT JOIN {S}.item_group g ON g.id = i.grp`

const GROUPS = `SELECT g.source, j.reason, g.count, r.path, h.origin FROM (
    SELECT source, kind, count(*) AS count, min(id) AS first FROM {S}.reject GROUP BY source, kind ORDER BY count DESC, first LIMIT ${MAX_REJECT_GROUPS}) g
  JOIN {S}.reject j ON j.id = g.first LEFT JOIN {S}.request r ON r.id = j.request LEFT JOIN {S}.host h ON h.id = r.host ORDER BY g.count DESC, g.first`

const BY_SOURCE = 'SELECT source, count(*) AS count FROM {S}.reject GROUP BY source ORDER BY source'

/** Reads them. */
export class RejectReads {
  readonly #queries: Queries

  constructor(queries: Queries) {
    this.#queries = queries
  }

  async select({ source, hostKey, afterId = 0, limit, retried }: RejectQuery): Promise<RejectRecord[]> {
    const rows = await this.#queries.all<RejectRecordRow>(
      `${ROWS} WHERE ${retried === true ? 'j.retried AND' : ''} j.id > $1 AND ($2::text IS NULL OR j.source = $2)
       AND ($3::text IS NULL OR h.key = $3) ORDER BY j.id LIMIT $4`,
      [afterId, source === undefined ? null : storedWord(source), hostKey ?? null, limit],
    )
    return rows.map(rejectRecordOf)
  }

  async groups(): Promise<RejectGroup[]> {
    const rows = await this.#queries.all<RejectGroupRow>(GROUPS)
    const isAll = rows.length < MAX_REJECT_GROUPS
    return rejectGroupsOf(rows, isAll ? [] : await this.#queries.all<RejectCount>(BY_SOURCE))
  }
}
