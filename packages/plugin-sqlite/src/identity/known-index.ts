// The index of known URLs, made anew from the rows: as IdentityIndex keeps it, and all of it at once.
import type { Database } from '../file/driver.ts'

const ROWS_AT_ONCE = 8_192
/** First 48 bits. */
const KEY_BYTES = 6

interface FingerprintRow {
  readonly id: number
  readonly fingerprint: Buffer
}

/** Fills `known`, whatever it had, and marks it as complete. Two fingerprints with the same key take neighbouring ones. Within a transaction. */
export function indexKnown(db: Database): void {
  db.exec('DELETE FROM known; CREATE TEMP TABLE keyed (key INTEGER, id INTEGER)')
  const rows = db.prepare<unknown[], FingerprintRow>(
    `SELECT id, fingerprint FROM request WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
  )
  const insert = db.prepare("INSERT INTO temp.keyed SELECT value ->> '$[0]', value ->> '$[1]' FROM json_each(?)")
  for (let after = 0, some = rows.all(after); some.length > 0; some = rows.all(after)) {
    insert.run(JSON.stringify(some.map(({ id, fingerprint }) => [fingerprint.readUIntBE(0, KEY_BYTES), id])))
    after = some.at(-1)?.id ?? 0
  }
  db.exec('INSERT INTO known (key, id) SELECT key, id FROM temp.keyed WHERE true ORDER BY key, id ON CONFLICT DO NOTHING')
  const left = db.prepare<unknown[], { key: number; id: number }>(
    'SELECT k.key, k.id FROM temp.keyed k JOIN known n ON n.key = k.key WHERE n.id <> k.id ORDER BY k.id',
  )
  const beside = db.prepare('INSERT INTO known (key, id) VALUES (?, ?) ON CONFLICT DO NOTHING')
  for (let { key, id } of left.all()) while (beside.run(key, id).changes === 0) key++
  db.exec('UPDATE crawl SET indexed_up_to = known, merging_up_to = 0, merging_slice = 0; DROP TABLE temp.keyed')
}
