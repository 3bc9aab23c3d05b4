// Rejects as readers see them: one by one, and by groups of reasons.
import { MAX_REJECT_GROUPS, type RejectGroup, type RejectQuery, type RejectRecord, type DocumentRecord } from '@avocet/core/store'
import {
  rejectGroupsOf,
  rejectRecordOf,
  type RejectCount,
  type RejectGroupRow,
  type RejectRecordRow,
  documentRecordOf,
  type DocumentRecordRow,
} from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'

const ROWS = `SELECT j.id, j.source, j.request, j.visit, j.ordinal, coalesce(j.json, i.json, '') AS json, j.reason, j.at, j.retried, i.seq, r.path, h.origin,
  h.key AS host_key, w.word AS handler FROM reject j JOIN request r ON r.id = j.request JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler
  LEFT JOIN item i ON j.json IS NULL AND i.request = j.request AND i.visit = j.visit AND i.ordinal = j.ordinal`
/** A sink asks for these after each batch: a search in the index of those alone, so that it costs nothing however many rejects there are. */
const RETRIED_ROWS = ROWS.replace('FROM reject j ', 'FROM reject j INDEXED BY reject_retried ')
const PAGE =
  'j.id > @afterId AND (@source IS NULL OR j.source = @source) AND (@hostKey IS NULL OR h.key = @hostKey) ORDER BY j.id LIMIT @limit'

/** Reads them. */
export class RejectRows {
  readonly #all: Statement<RejectRecordRow>
  readonly #retried: Statement<RejectRecordRow>
  readonly #retriedOfSource: Statement<RejectRecordRow>
  readonly #groups: Statement<RejectGroupRow>
  readonly #bySource: Statement<RejectCount>

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
    return rows.map(rejectRecordOf)
  }

  groups(): RejectGroup[] {
    return rejectGroupsOf(this.#groups.all(), this.#bySource.all())
  }
}

type Nullable<Query> = { [Key in keyof Query]: Query[Key] | (undefined extends Query[Key] ? null : never) }

// Reads the records of documents of plugins, all or those of one handler.

/** Which ones to read. */
export interface RecordPage {
  readonly afterSeq: number
  readonly limit: number
  readonly handler?: string
}

/** Reads them by `seq`. */
export function recordsOf(db: Database): (page: RecordPage) => readonly DocumentRecord[] {
  const rows = db.prepare<unknown[], DocumentRecordRow>(
    `SELECT d.seq, d.request, d.visit, d.ordinal, d.json, r.path, h.origin, w.word AS handler FROM record d JOIN request r ON r.id = d.request
     JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler WHERE d.seq > ? AND (? IS NULL OR w.word = ?) ORDER BY d.seq LIMIT ?`,
  )
  return ({ afterSeq, limit, handler = null }) => rows.all(afterSeq, handler, handler, limit).map(documentRecordOf)
}
