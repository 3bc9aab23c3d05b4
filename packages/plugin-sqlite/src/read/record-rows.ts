// Reads the records of documents of plugins, all or those of one handler.
import type { DocumentRecord } from '@avocet/core/store'
import { documentRecordOf, type DocumentRecordRow } from '@avocet/store-sql'
import type { Database } from '../file/driver.ts'

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
