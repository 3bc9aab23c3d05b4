// Pages that go to another handler today: a handler was renamed, or a link names another one.
//
// A fingerprint has the name of the handler in it, so to the store each of them is a new request, and the items of the old one would stay beside its own.
// Instead, the request that the store has for a handler that does not get the page any more becomes the one that the replay has: with its history, its visits
// and its items, which are then replaced. One that the replay has as well, because two handlers get the page, stays what it is. Where several handlers of
// today could follow one of earlier, the one that the replay met first does; the others are new.
import { indexKnown } from '../identity/known-index.ts'
import type { Database } from '../file/driver.ts'
import { fingerprintFor, type AskedRow } from '../queue/asked-row.ts'
import { batchesById } from './id-batches.ts'

interface NewRow extends AskedRow {
  readonly id: number
  readonly fingerprint: Buffer
  readonly handler: string
}

const PREPARED = `CREATE TEMP TABLE here (fingerprint BLOB PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO temp.here SELECT fingerprint, id FROM main.request;
  CREATE TEMP TABLE there (fingerprint BLOB PRIMARY KEY) WITHOUT ROWID;
  INSERT INTO temp.there SELECT fingerprint FROM replay.request;
  INSERT OR IGNORE INTO main.handler (word) SELECT word FROM replay.handler;`

/** Of the replay, what the store does not know. */
const NEW = `SELECT w.id, w.fingerprint, w.path, h.origin, v.word AS handler, e.method, e.body, e.identity
  FROM replay.request w CROSS JOIN replay.host h ON h.id = w.host CROSS JOIN replay.handler v ON v.id = w.handler
  LEFT JOIN replay.extra e ON e.id = w.id WHERE w.id > ? AND NOT EXISTS (SELECT 1 FROM temp.here k WHERE k.fingerprint = w.fingerprint)
  ORDER BY w.id LIMIT ?`

/** Returns how many requests have another handler now. Within a transaction. The index of known URLs is whole afterwards; RAM notices at its next look. */
export function followHandlers(db: Database): number {
  db.exec(PREPARED)
  const words = db.prepare<unknown[], string>('SELECT word FROM main.handler ORDER BY id').pluck().all()
  const take = db
    .prepare<unknown[], number>(
      'DELETE FROM temp.here WHERE fingerprint = @it AND NOT EXISTS (SELECT 1 FROM temp.there WHERE fingerprint = @it) RETURNING id',
    )
    .pluck()
  const become = db.prepare(
    'UPDATE main.request SET fingerprint = ?, handler = (SELECT id FROM main.handler WHERE word = ?) WHERE id = ?',
  )
  const query = db.prepare<unknown[], NewRow>(NEW)
  let count = 0
  const batches = batchesById(
    (after, limit) => query.all(after, limit),
    (row) => row.id,
  )
  for (const rows of batches) {
    for (const row of rows) {
      const id = earlierOf(row, words, (it) => take.get({ it }))
      if (id !== undefined) count += become.run(row.fingerprint, row.handler, id).changes
    }
  }
  db.exec('DROP TABLE temp.here; DROP TABLE temp.there')
  if (count > 0) indexKnown(db)
  return count
}

/** The request of the store that another handler had, if `take` gives one. */
function earlierOf(row: NewRow, handlers: readonly string[], take: (it: Buffer) => number | undefined): number | undefined {
  for (const handler of handlers) {
    const id = handler === row.handler ? undefined : take(Buffer.from(fingerprintFor(row, handler), 'latin1'))
    if (id !== undefined) return id
  }
  return undefined
}
