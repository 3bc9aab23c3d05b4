// Pages that were done and are asked for again, because something that they gave is lost: links whose requests cannot be read, or items.
//
// What the rows of lost requests said is gone, their URLs with it. Ids are given in the order of commits, so what was found between the row before a gap and the
// row behind it was found by pages that were fetched between the parents of those two, give or take the time that a handler may take. These are asked for
// again: what they link to and is known is known, and their items are there once by request, visit and ordinal. A page that is due again anyway, or that
// was no GET, is left alone. Alternative rejected: asking for all pages again, which a store of weeks cannot pay for one damaged page.
import type { Database } from '../file/driver.ts'

/** A handler has a minute, by default, from the answer to the commit. */
const SLACK_MS = 60_000
/** So many rows beside a gap are looked at for a parent whose time is known; seeds have none. */
const ROWS_BESIDE = 1_000

interface Gap {
  readonly first: number
  readonly last: number
}

const PARENT = `SELECT a.fetched_at, a.fetched_at + coalesce(a.duration_ms, 0) AS ended FROM staged.request r JOIN staged.sound s ON s.id = r.id
  JOIN staged.attempt a ON a.id = r.parent LEFT JOIN staged.visited v ON v.id = a.id WHERE a.fetched_at IS NOT NULL AND v.id IS NULL`

/** Fills `staged.reopened (id)`. `lastId`: the highest id that there was. */
export function findAskedAgain(db: Database, lastId: number): void {
  db.exec(
    'CREATE TABLE staged.reopened (id INTEGER PRIMARY KEY); CREATE TABLE staged.fetched AS SELECT 0 AS at, 0 AS id WHERE false',
  )
  const gaps = gapsIn(db, lastId)
  if (gaps.length > 0) askForLinks(db, gaps)
  // Of visits after the first the next one says it all anew.
  db.exec(`INSERT OR IGNORE INTO staged.reopened (id) SELECT i.request FROM staged.item_once i LEFT JOIN staged.item t ON t.seq = i.seq
    WHERE t.seq IS NULL AND i.visit = 0`)
  db.exec(`DELETE FROM staged.reopened WHERE id NOT IN (SELECT s.id FROM staged.sound s JOIN staged.attempt a ON a.id = s.id
    LEFT JOIN staged.visited v ON v.id = s.id LEFT JOIN staged.extra e ON e.id = s.id
    WHERE a.state IN (1, 2) AND v.id IS NULL AND coalesce(e.method, 'GET') IN ('GET', 'HEAD'))`)
}

function askForLinks(db: Database, gaps: readonly Gap[]): void {
  db.exec(`INSERT INTO staged.fetched SELECT coalesce(fetched_at, 0), id FROM staged.attempt WHERE state IN (1, 2);
    CREATE INDEX staged.by_time ON fetched (at)`)
  const before = db.prepare<unknown[], { readonly ended: number }>(
    `${PARENT} AND r.id BETWEEN +? - ${ROWS_BESIDE} AND +? - 1 ORDER BY r.id DESC LIMIT 1`,
  )
  const behind = db.prepare<unknown[], { readonly ended: number }>(
    `${PARENT} AND r.id BETWEEN +? + 1 AND +? + ${ROWS_BESIDE} ORDER BY r.id LIMIT 1`,
  )
  const reopen = db.prepare('INSERT OR IGNORE INTO staged.reopened (id) SELECT id FROM staged.fetched WHERE at BETWEEN ? AND ?')
  const longest = db.prepare<unknown[], number>('SELECT coalesce(max(duration_ms), 0) FROM staged.attempt').pluck().get() ?? 0
  for (const { first, last } of gaps) {
    const from = (before.get(first, first)?.ended ?? -Infinity) - SLACK_MS - longest
    const until = (behind.get(last, last)?.ended ?? Infinity) + SLACK_MS
    reopen.run(Number.isFinite(from) ? from : -1, Number.isFinite(until) ? until : Number.MAX_SAFE_INTEGER)
  }
}

function gapsIn(db: Database, lastId: number): Gap[] {
  const inside = db.prepare<unknown[], Gap>(
    `SELECT before + 1 AS first, id - 1 AS last FROM (SELECT id, lag(id, 1, 0) OVER (ORDER BY id) AS before FROM staged.sound)
     WHERE id > before + 1`,
  )
  const highest = db.prepare<unknown[], number>('SELECT coalesce(max(id), 0) FROM staged.sound').pluck().get() ?? 0
  const gaps = inside.all()
  return highest < lastId ? [...gaps, { first: highest + 1, last: lastId }] : gaps
}
