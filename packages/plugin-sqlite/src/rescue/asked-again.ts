// Pages that were done and are requested again, because something that they gave is lost: links whose requests cannot be read, items, or records.
//
// What the rows of lost requests said is gone, their URLs with it. But ids are given in the order of commits, so what is missing between two rows was given
// after all that came before it, and before all that came behind. When a row was given is known by its parent: at some moment from its first fetch to its
// last, give or take the time that a handler may take; of most pages these are one. So is when a page may have given something. Those pages are asked again
// of which the one may be within the other: what they link to and is known is known, and their items are there once by request, visit and ordinal.
//
// A page that is due again anyway is not requested sooner, but its next answer counts as new: its validators are forgotten, for "not modified" would bring
// nothing back. Nor is one that was no GET. Alternative rejected: asking for all pages again, which a store of weeks cannot pay for one damaged page.
import type { Database } from '../file/driver.ts'

/** A handler has a minute, by default, from the answer to the commit. */
const SLACK_MS = 60_000
/** So many rows beside a gap are looked at for parents whose times are known; seeds have none. */
const ROWS_BESIDE = 1_000

interface Gap {
  readonly first: number
  readonly last: number
}

/** Epoch ms. */
interface Span {
  readonly since: number
  readonly until: number
}

/** Beyond every moment. */
const MOST = 9e15

const PARENTS = `FROM staged.request r JOIN staged.sound s ON s.id = r.id JOIN staged.fetch f ON f.id = r.parent WHERE`
/** Settled as a page, or waiting to be read again as one. */
const WAS_READ = `(a.state IN (1, 2) OR a.state = 0 AND a.id IN (SELECT id FROM staged.cut WHERE reread = 1))`

/**
 * Fills `staged.suspect (id)` with what may have given something that is lost, and `staged.reopened (id)` with what is requested again. `lastId`: the highest
 * id that there was.
 */
export function findAskedAgain(db: Database, lastId: number): void {
  db.exec('CREATE TABLE staged.suspect (id INTEGER PRIMARY KEY); CREATE TABLE staged.reopened (id INTEGER PRIMARY KEY)')
  const gaps = gapsIn(db, lastId)
  if (gaps.length > 0) {
    findFetches(db)
    suspectGivers(db, spansOf(db, gaps))
  }
  db.exec(`INSERT OR IGNORE INTO staged.suspect (id) SELECT i.request FROM staged.item_once i LEFT JOIN staged.item t ON t.seq = i.seq
    WHERE t.seq IS NULL`)
  db.exec(`INSERT OR IGNORE INTO staged.suspect (id) SELECT i.request FROM staged.record_place i LEFT JOIN staged.record t ON t.seq = i.seq
    WHERE t.seq IS NULL`)
  db.exec(`INSERT INTO staged.reopened (id) SELECT s.id FROM staged.suspect s JOIN staged.sound o ON o.id = s.id JOIN staged.attempt a ON a.id = s.id
    LEFT JOIN staged.visited v ON v.id = s.id LEFT JOIN staged.delayed d ON d.id = s.id LEFT JOIN staged.extra e ON e.id = s.id
    WHERE ${WAS_READ} AND (a.state = 0 OR v.id IS NULL OR d.id IS NULL) AND coalesce(e.method, 'GET') IN ('GET', 'HEAD')`)
}

/** Fills `staged.fetch`: when each request was fetched first and last. */
function findFetches(db: Database): void {
  // Visits of before the first moment was kept may have been at any time.
  db.exec(`CREATE TABLE staged.fetch (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, ended INTEGER NOT NULL);
    INSERT INTO staged.fetch SELECT a.id, coalesce(a.first_at, iif(v.visits > 1, 0, a.fetched_at)), a.fetched_at, a.fetched_at + coalesce(a.duration_ms, 0)
    FROM staged.attempt a LEFT JOIN staged.visited v ON v.id = a.id WHERE a.fetched_at IS NOT NULL`)
  // One that gave a row before it was fetched gave it at a fetch that nobody wrote down: links were written ahead of its turn, and its process was killed.
  db.exec(`UPDATE staged.fetch SET first = 0 WHERE id IN (SELECT id FROM (
    SELECT f.id, f.first, min(f.ended) OVER (ORDER BY r.id DESC) AS until ${PARENTS} true) WHERE until + ${SLACK_MS} < first)`)
}

/** Pages that may have given something within one of `spans`, which are in order and apart. */
function suspectGivers(db: Database, spans: readonly Span[]): void {
  db.exec('CREATE TABLE staged.gave (until INTEGER PRIMARY KEY, since INTEGER NOT NULL)')
  const insert = db.prepare('INSERT INTO staged.gave (until, since) VALUES (?, ?)')
  for (const { since, until } of spans) insert.run(until, since)
  db.exec(`INSERT INTO staged.suspect (id) SELECT f.id FROM staged.fetch f
    WHERE (SELECT since FROM staged.gave WHERE until >= f.first ORDER BY until LIMIT 1) <= f.last`)
}

/** When what is missing in `gaps` was given. */
function spansOf(db: Database, gaps: readonly Gap[]): Span[] {
  const before = db
    .prepare<unknown[], number | null>(
      `SELECT max(iif(f.first = f.last, f.ended, f.first)) ${PARENTS} r.id BETWEEN +? - ${ROWS_BESIDE} AND +? - 1`,
    )
    .pluck()
  const behind = db
    .prepare<unknown[], number | null>(`SELECT min(f.ended) ${PARENTS} r.id BETWEEN +? + 1 AND +? + ${ROWS_BESIDE}`)
    .pluck()
  const longest = db.prepare<unknown[], number>('SELECT coalesce(max(ended - last), 0) FROM staged.fetch').pluck().get() ?? 0
  const spans = gaps.map(({ first, last }) => ({
    since: (before.get(first, first) ?? -MOST) - SLACK_MS - longest,
    until: (behind.get(last, last) ?? MOST) + SLACK_MS,
  }))
  return joined(spans.toSorted((a, b) => a.since - b.since))
}

/** Those that meet as one. */
function joined(spans: readonly Span[]): Span[] {
  const apart: Span[] = []
  for (const span of spans) {
    const last = apart.at(-1)
    if (last === undefined || span.since > last.until) apart.push(span)
    else apart[apart.length - 1] = { since: last.since, until: Math.max(last.until, span.until) }
  }
  return apart
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
