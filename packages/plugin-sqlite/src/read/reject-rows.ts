// Rejects as readers see them: one by one, and by groups of reasons.
import {
  MAX_REJECT_GROUPS,
  OTHER_REASONS,
  type RejectGroup,
  type RejectQuery,
  type RejectRecord,
  urlOf,
} from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'

interface RejectRow extends Omit<RejectRecord, 'requestId' | 'url' | 'hostKey' | 'seq' | 'retried'> {
  readonly request: number
  readonly path: string
  readonly origin: string
  readonly host_key: string
  readonly seq: number | null
  readonly retried: number
}

interface GroupRow {
  readonly source: string
  readonly reason: string
  readonly count: number
  readonly path: string | null
  readonly origin: string | null
}

const ROWS = `SELECT j.id, j.source, j.request, j.visit, j.ordinal, coalesce(j.json, i.json, '') AS json, j.reason, j.at, j.retried, i.seq, r.path, h.origin,
  h.key AS host_key, w.word AS handler FROM reject j JOIN request r ON r.id = j.request JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler
  LEFT JOIN item i ON j.json IS NULL AND i.request = j.request AND i.visit = j.visit AND i.ordinal = j.ordinal`
/** A sink asks for these after each batch: a search in the index of those alone, so that it costs nothing however many rejects there are. */
const RETRIED_ROWS = ROWS.replace('FROM reject j ', 'FROM reject j INDEXED BY reject_retried ')
const PAGE =
  'j.id > @afterId AND (@source IS NULL OR j.source = @source) AND (@hostKey IS NULL OR h.key = @hostKey) ORDER BY j.id LIMIT @limit'

/** Reads them. */
export class RejectRows {
  readonly #all: Statement<RejectRow>
  readonly #retried: Statement<RejectRow>
  readonly #retriedOfSource: Statement<RejectRow>
  readonly #groups: Statement<GroupRow>
  readonly #bySource: Statement<{ readonly source: string; readonly count: number }>

  constructor(db: Database) {
    this.#all = db.prepare(`${ROWS} WHERE ${PAGE}`)
    this.#retried = db.prepare(`${RETRIED_ROWS} WHERE j.retried = 1 AND ${PAGE}`)
    this.#retriedOfSource = db.prepare(`${RETRIED_ROWS} WHERE j.retried = 1 AND j.source = @source AND ${PAGE}`)
    this.#groups = db.prepare(
      `SELECT g.source, j.reason, g.count, r.path, h.origin FROM (
         SELECT source, kind, count(*) AS count, min(id) AS first FROM reject GROUP BY source, kind ORDER BY count DESC, first LIMIT ${MAX_REJECT_GROUPS}) g
       JOIN reject j ON j.id = g.first LEFT JOIN request r ON r.id = j.request LEFT JOIN host h ON h.id = r.host ORDER BY g.count DESC, g.first`,
    )
    this.#bySource = db.prepare('SELECT source, count(*) AS count FROM reject GROUP BY source ORDER BY source')
  }

  select({ source = null, hostKey = null, afterId = 0, limit, retried }: Nullable<RejectQuery>): RejectRecord[] {
    const ofRetried = source === null ? this.#retried : this.#retriedOfSource
    const rows = (retried ? ofRetried : this.#all).all({ source, hostKey, afterId, limit })
    return rows.map(({ request, path, origin, host_key: key, seq, retried: isRetried, ...row }) => ({
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
      ...(isRetried === 1 && { retried: true as const }),
    }))
  }

  groups(): RejectGroup[] {
    const rows = this.#groups.all()
    const groups = rows.map(({ path, origin, ...row }) => ({ ...row, url: path === null ? '' : urlOf(path, origin ?? '') }))
    return groups.length < MAX_REJECT_GROUPS ? groups : [...groups, ...this.#others(groups)]
  }

  /** What is in none of `groups`, as one a source. */
  #others(groups: readonly RejectGroup[]): RejectGroup[] {
    return this.#bySource.all().flatMap(({ source, count }) => {
      const listed = groups.filter((group) => group.source === source)
      const left = count - listed.reduce((sum, group) => sum + group.count, 0)
      return left > 0 ? [{ source, reason: OTHER_REASONS, count: left, url: listed[0]?.url ?? '' }] : []
    })
  }
}

type Nullable<Query> = { [Key in keyof Query]: Query[Key] | (undefined extends Query[Key] ? null : never) }
