// Which of the requests that were read are what they were: their host and handler are known, and their fingerprint follows from what they ask for.
//
// A fingerprint is 128 bits of a hash over method, URL, body, handler and what a link added, so a single bit that changed in any of them shows. Stores whose
// URLs are identified by other rules than ours cannot be checked so.
import { CANONICALISATION, hostKeyOf, urlOf } from '@avocet/core/store'
import type { Database } from '../file/driver.ts'
import { fingerprintFor, type AskedRow } from '../queue/asked-row.ts'

interface Asked extends AskedRow {
  readonly id: number
  readonly fingerprint: Buffer
  readonly key: string
  readonly handler: string
}

/** What the store goes by, where its own word is lost. */
export interface FoundSpec {
  readonly canonicalisation: string
  readonly hostKeying: string
}

const ROWS_AT_ONCE = 4_096
/** So many requests tell what a store goes by. */
const SAMPLE = 1_000

const ASKED = `SELECT r.id, r.path, r.fingerprint, h.origin, h.key, w.word AS handler, e.method, e.body, e.identity
  FROM staged.request r JOIN staged.host h ON h.id = r.host JOIN staged.handler w ON w.id = r.handler
  LEFT JOIN staged.extra e ON e.id = r.id WHERE r.id > ? AND r.id <= ? ORDER BY r.id LIMIT ${ROWS_AT_ONCE}`

/**
 * Fills `staged.sound (id)` with the ids of those that are. `canonicalisation`: the store's own word; without it requests are checked where most of them
 * agree.
 */
export function findSound(db: Database, lastId: number, canonicalisation: string | undefined): void {
  db.exec('CREATE TABLE staged.sound (id INTEGER PRIMARY KEY)')
  const isChecked = (canonicalisation ?? specOf(db, lastId).canonicalisation) === CANONICALISATION
  const insert = db.prepare('INSERT INTO staged.sound (id) SELECT value FROM json_each(?)')
  const seen = db.prepare<unknown[], Asked>(ASKED)
  for (let after = 0, rows = seen.all(after, lastId); rows.length > 0; rows = seen.all(after, lastId)) {
    insert.run(JSON.stringify(rows.filter((row) => !isChecked || isAsItWas(row)).map(({ id }) => id)))
    after = rows.at(-1)?.id ?? lastId
  }
  // Two rows of one fingerprint would be one page twice: the older one stays.
  db.exec(`CREATE INDEX staged.by_fingerprint ON request (fingerprint);
    DELETE FROM staged.sound WHERE id IN (SELECT r.id FROM (
      SELECT fingerprint, min(id) AS oldest FROM staged.request WHERE id IN (SELECT id FROM staged.sound) GROUP BY fingerprint HAVING count(*) > 1
    ) twice JOIN staged.request r ON r.fingerprint = twice.fingerprint WHERE r.id > twice.oldest)`)
}

/** What a store goes by whose word on it is lost, from its requests. */
export function specOf(db: Database, lastId: number): FoundSpec {
  const rows = db.prepare<unknown[], Asked>(ASKED).all(0, lastId).slice(0, SAMPLE)
  const alike = rows.filter(isAsItWas).length
  const byHost = rows.filter((row) => hostKeyOf(urlOf(row.path, row.origin), 'host') === row.key).length
  return {
    canonicalisation: rows.length === 0 || alike * 2 > rows.length ? CANONICALISATION : 'unknown',
    hostKeying: byHost * 2 >= rows.length ? 'host' : 'domain',
  }
}

/** The origin of a host of which only the key is left: the one with which its requests are what they were. */
export function originOfKey(db: Database, host: number, key: string): string {
  const rows = db
    .prepare<unknown[], Asked>(
      `SELECT r.id, r.path, r.fingerprint, '' AS origin, '' AS key, w.word AS handler, e.method, e.body, e.identity FROM staged.request r
       JOIN staged.handler w ON w.id = r.handler LEFT JOIN staged.extra e ON e.id = r.id WHERE r.host = ? AND r.path LIKE '/%' LIMIT 16`,
    )
    .all(host)
  const candidates = [`https://${key}`, `http://${key}`, `https://www.${key}`, `http://www.${key}`]
  return candidates.find((origin) => rows.some((row) => isAsItWas({ ...row, origin }))) ?? `https://${key}`
}

function isAsItWas(row: Asked): boolean {
  return row.fingerprint.toString('latin1') === fingerprintFor(row, row.handler)
}
