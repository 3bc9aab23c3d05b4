// Hosts, handlers and reasons as their tables have them, and where a row is lost or does not fit together, as the index of the table has them.
import { CANONICALISATION, hostKeyOf } from '@avocet/core/store'
import type { Database } from '../file/driver.ts'
import { originOfKey, type FoundSpec } from './sound-requests.ts'

interface FoundHost {
  readonly id: number
  readonly key: string | null
  readonly indexKey: string | null
  readonly origin: string | null
}

/** Completes `staged.handler` and `staged.reason`. */
export function findWords(db: Database): void {
  db.exec(`
    INSERT OR IGNORE INTO staged.handler (id, word) SELECT id, word FROM staged.handler_word;
    INSERT OR IGNORE INTO staged.reason (id, word, failed) SELECT id, word, 0 FROM staged.reason_word;
    DELETE FROM staged.handler WHERE EXISTS (SELECT 1 FROM staged.handler o WHERE o.word = handler.word AND o.id < handler.id);
    DELETE FROM staged.reason WHERE EXISTS (SELECT 1 FROM staged.reason o WHERE o.word = reason.word AND o.id < reason.id);`)
}

/** Completes `staged.host`. Key and origin say the same thing twice, and the index says the key once more: of three, two agree. */
export function findHosts(db: Database, { canonicalisation, hostKeying }: FoundSpec): void {
  const found = db.prepare<unknown[], FoundHost>(
    `SELECT coalesce(h.id, i.id) AS id, h.key, i.key AS indexKey, h.origin
     FROM staged.host h FULL JOIN staged.host_word i ON i.id = h.id`,
  )
  const insert = db.prepare(
    `INSERT INTO staged.host (id, key, origin, ready_at, ready, delayed, done, moved, failed, retried, epoch, abandoned, again, rank, probation)
     VALUES (?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1) ON CONFLICT DO UPDATE SET key = excluded.key, origin = excluded.origin`,
  )
  const isOurs = canonicalisation === CANONICALISATION
  for (const { id, key, indexKey, origin } of found.all()) {
    const keyOfOrigin = origin === null ? undefined : hostKeyOf(`${origin}/`, hostKeying === 'domain' ? 'domain' : 'host')
    if (origin !== null && key !== null && (!isOurs || key === keyOfOrigin)) continue
    if (origin !== null && indexKey !== null && indexKey === keyOfOrigin) insert.run(id, indexKey, origin)
    else {
      const left = indexKey ?? key
      if (left !== null) insert.run(id, left, originOfKey(db, id, left))
    }
  }
  db.exec('DELETE FROM staged.host WHERE EXISTS (SELECT 1 FROM staged.host o WHERE o.key = host.key AND o.id < host.id)')
}
