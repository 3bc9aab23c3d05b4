// Rejects as readers see them: one by one, and by groups of reasons.
import type { RejectGroup, RejectQuery, RejectRecord, DocumentRecord } from '@avocet/core/store'
import {
  REJECT_GROUPS,
  REJECTS_BY_SOURCE,
  rejectGroupsOf,
  rejectRecordOf,
  type RejectCount,
  type RejectGroupRow,
  type RejectRecordRow,
  documentRecordOf,
  type DocumentRecordRow,
} from '@avocet/store-sql'
import type { Database } from '../file/driver.ts'

const ROWS = `SELECT j.id, j.source, j.request, j.visit, j.ordinal, coalesce(j.json, i.json, '') AS json, j.reason, j.at, j.retried, i.seq, r.path, h.origin,
  h.key AS host_key, w.word AS handler FROM reject j JOIN request r ON r.id = j.request JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler
  LEFT JOIN item i ON j.json IS NULL AND i.request = j.request AND i.visit = j.visit AND i.ordinal = j.ordinal`
/** A sink asks for these after each batch: a search in the index of those alone, so that it costs nothing however many rejects there are. */
const RETRIED_ROWS = ROWS.replace('FROM reject j ', 'FROM reject j INDEXED BY reject_retried ')
const PAGE =
  'j.id > @afterId AND (@source IS NULL OR j.source = @source) AND (@hostKey IS NULL OR h.key = @hostKey) ORDER BY j.id LIMIT @limit'

/** One by one. */
export function rejectsOf(db: Database, query: RejectQuery): RejectRecord[] {
  const { source = null, hostKey = null, afterId = 0, limit, retried } = query
  // With the source by itself, so that it is looked for in the index.
  const which = source === null ? 'j.retried = 1' : 'j.retried = 1 AND j.source = @source'
  const select = retried ? `${RETRIED_ROWS} WHERE ${which} AND` : `${ROWS} WHERE`
  return db.prepare<unknown[], RejectRecordRow>(`${select} ${PAGE}`).all({ source, hostKey, afterId, limit }).map(rejectRecordOf)
}

/** By groups. */
export function rejectGroupsIn(db: Database): RejectGroup[] {
  const [groups, counts] = [REJECT_GROUPS, REJECTS_BY_SOURCE].map((sql) => db.prepare(sql.replaceAll('{S}', 'main')).all())
  return rejectGroupsOf(groups as RejectGroupRow[], counts as RejectCount[])
}

// Reads the records of documents of plugins, all or those of one handler.

/** Reads them by `seq`. */
export function recordsOf(
  db: Database,
  { afterSeq, limit, handler = null }: { readonly afterSeq: number; readonly limit: number; readonly handler?: string | null },
): readonly DocumentRecord[] {
  const rows = db.prepare<unknown[], DocumentRecordRow>(
    `SELECT d.seq, d.request, d.visit, d.ordinal, d.json, r.path, h.origin, w.word AS handler FROM record d JOIN request r ON r.id = d.request
     JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler WHERE d.seq > ? AND (? IS NULL OR w.word = ?) ORDER BY d.seq LIMIT ?`,
  )
  return rows.all(afterSeq, handler, handler, limit).map(documentRecordOf)
}
