// From rows that were read to a sound store: ids without gaps, every request in one queue, every total recounted.
//
// Nothing that can be worked out is taken from the damaged store: queues follow from what was tried, totals from rows, the index of known URLs from
// fingerprints. What names something that is lost goes with it. A request of which no outcome is left waits again.
import { NEVER, OTHER_ERRORS, SCHEDULE_PART, SCHEMA_SOURCE, SEVERAL_WORD } from '@avocet/core/store'
import type { Database } from '../file/driver.ts'
import { REWIND_SINKS, sinksOfVersion8 } from '../file/schema.ts'

/** What the new store is of. */
export interface RebuiltCrawl {
  readonly name: string
  readonly canonicalisation: string
  readonly hostKeying: string
  readonly createdAt: number
  readonly lastAt: number
}

/** Of a row of `trouble` that had one. */
const KIND = "iif(t.error IS NULL, NULL, coalesce(k.id, (SELECT id FROM handler_error WHERE kind = '')))"

const SETTLED = 'SELECT 1 FROM attempt a WHERE a.id = request.id'

/** In the order in which one needs the other. */
const STEPS: readonly string[] = [
  'CREATE TABLE staged.place (old INTEGER PRIMARY KEY, id INTEGER NOT NULL)',
  'INSERT INTO staged.place SELECT id, row_number() OVER (ORDER BY id) FROM staged.sound ORDER BY id',
  'INSERT INTO handler (id, word) SELECT id, word FROM staged.handler',
  'INSERT INTO reason (id, word) SELECT id, word FROM staged.reason',
  `INSERT INTO host (id, key, origin, ready_at, retried, epoch, abandoned, retired_for, probe_at, probation)
   SELECT id, key, origin, ready_at, max(retried, 0), max(epoch, 0), iif(owner IS NULL, abandoned, 1), retired_for, iif(retired_for IS NULL, NULL, probe_at),
   probation <> 0 FROM staged.host`,
  // Pages of these two tables may be in each other's place: core counts the exchanges of a host in its part of that host's memory, and of no crawl.
  `INSERT INTO host_memory SELECT host, part, json FROM staged.host_memory WHERE host IN (SELECT id FROM host)
   AND host NOT IN (SELECT host FROM staged.host_memory WHERE part = 'core' AND json_type(json, '$[1].scopeHosts') IS NOT NULL)`,
  `INSERT INTO crawl_memory SELECT process, part, json FROM staged.crawl_memory
   WHERE part <> '${SCHEDULE_PART}'
   AND process NOT IN (SELECT process FROM staged.crawl_memory WHERE part = 'core' AND json_type(json, '$[1].seq') IS NOT NULL)`,
  // Ids of processes are never used twice, or a new one would take the memory of an old one for its own.
  "INSERT INTO sqlite_sequence (name, seq) SELECT 'process', max(process) FROM staged.crawl_memory HAVING max(process) IS NOT NULL",
  `INSERT INTO request SELECT p.id, r.host, r.path, r.fingerprint, q.id, r.depth, r.rank, r.handler, r.anchor
   FROM staged.place p JOIN staged.request r ON r.id = p.old LEFT JOIN staged.place q ON q.old = r.parent ORDER BY p.id`,
  `INSERT INTO extra (id, method, headers, body, data, hops, redirected_from, identity, asked_at)
   SELECT p.id, e.method, e.headers, e.body, e.data, e.hops, e.redirected_from, e.identity, e.asked_at
   FROM staged.place p JOIN staged.extra e ON e.id = p.old ORDER BY p.id`,
  `INSERT INTO attempt SELECT p.id, iif(o.id IS NULL, a.state, 0), iif(o.id IS NULL, a.attempts, 0), iif(o.id IS NULL, a.free_attempts, 0),
   a.fetched_at, a.status, a.duration_ms, a.wire_bytes, a.first_at, a.run
   FROM staged.place p JOIN staged.attempt a ON a.id = p.old LEFT JOIN staged.reopened o ON o.id = p.old ORDER BY p.id`,
  `INSERT INTO visited (id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since, asked_at, asked_by, page_at, page_visit)
   SELECT p.id, v.visits, v.due_at, v.skipped, iif(s.id IS NULL, v.etag, NULL), iif(s.id IS NULL, v.last_modified, NULL), iif(s.id IS NULL, v.body_hash, NULL),
   iif(v.missing_since IS NULL, iif(v.missing < 0 AND a.state IN (2, 3), -1, 0), max(v.missing, 0)), iif(v.missing > 0, v.missing_since, NULL), v.asked_at, q.id,
   v.page_at, v.page_visit
   FROM staged.place p JOIN staged.visited v ON v.id = p.old LEFT JOIN staged.suspect s ON s.id = p.old
   LEFT JOIN attempt a ON a.id = p.id LEFT JOIN staged.place q ON q.old = v.asked_by ORDER BY p.id`,
  'INSERT OR IGNORE INTO handler_error (id, kind, json, seen_at) SELECT id, kind, json, seen_at FROM staged.handler_error',
  // Pages whose kind of error is lost are pages that failed all the same.
  `INSERT OR IGNORE INTO handler_error (kind, json, seen_at) SELECT '', '${JSON.stringify(OTHER_ERRORS)}', 0 FROM staged.trouble
   WHERE error IS NOT NULL AND error NOT IN (SELECT id FROM handler_error) LIMIT 1`,
  `INSERT INTO trouble SELECT p.id, r.id, t.blame, t.target, ${KIND} FROM staged.place p JOIN staged.trouble t ON t.id = p.old
   LEFT JOIN reason r ON r.id = t.reason LEFT JOIN handler_error k ON k.id = t.error WHERE p.old NOT IN (SELECT id FROM staged.reopened) ORDER BY p.id`,
  // Links whose budget is lost wait for any. A page that was never tried, or is requested again, gives them all anyway.
  `INSERT OR IGNORE INTO reason (word) SELECT '${SEVERAL_WORD}' FROM staged.cut WHERE reason IS NULL OR reason NOT IN (SELECT id FROM reason) LIMIT 1`,
  `INSERT INTO cut (id, reason, links, waiting, reread)
   SELECT p.id, coalesce(r.id, (SELECT id FROM reason WHERE word = '${SEVERAL_WORD}')), c.links, c.waiting, c.reread
   FROM staged.place p JOIN staged.cut c ON c.id = p.old JOIN attempt a ON a.id = p.id LEFT JOIN reason r ON r.id = c.reason
   WHERE p.old NOT IN (SELECT id FROM staged.reopened) ORDER BY p.id`,
  `INSERT OR IGNORE INTO item (seq, request, ordinal, json, visit) SELECT i.seq, p.id, i.ordinal, i.json, i.visit
   FROM staged.item i JOIN staged.place p ON p.old = i.request ORDER BY i.seq`,
  // What a sink refused goes with its item, and what has become an item is no reject.
  `INSERT OR IGNORE INTO reject (id, source, request, visit, ordinal, json, reason, kind, at, retried)
   SELECT j.id, j.source, p.id, j.visit, j.ordinal, j.json, j.reason, j.kind, j.at, j.retried FROM staged.reject j JOIN staged.place p ON p.old = j.request
   LEFT JOIN item i ON i.request = p.id AND i.visit = j.visit AND i.ordinal = j.ordinal
   WHERE (j.json IS NULL) = (i.seq IS NOT NULL) AND (j.json IS NULL) = (j.source <> '${SCHEMA_SOURCE}') ORDER BY j.id`,
  `INSERT OR IGNORE INTO record (seq, request, visit, ordinal, json) SELECT d.seq, p.id, d.visit, d.ordinal, d.json
   FROM staged.record d JOIN staged.place p ON p.old = d.request ORDER BY d.seq`,
  // Items, rejects and records are of requests that were tried.
  `INSERT INTO attempt (id, state, attempts, free_attempts)
   SELECT request, 0, 0, 0 FROM (SELECT request FROM item UNION SELECT request FROM reject UNION SELECT request FROM record)
   WHERE request NOT IN (SELECT id FROM attempt)`,
  'INSERT INTO death SELECT p.id, d.runs FROM staged.place p JOIN staged.death d ON d.id = p.old',
  // Waiting: all that is neither settled nor in a span. Settled and due again: what says so twice.
  `INSERT INTO delayed (id, host, not_before, rank)
   SELECT r.id, r.host, iif(o.id IS NULL, coalesce(d.not_before, 0), 0), r.rank FROM request r JOIN staged.place p ON p.id = r.id
   LEFT JOIN attempt a ON a.id = r.id LEFT JOIN staged.delayed d ON d.id = p.old LEFT JOIN visited v ON v.id = r.id
   LEFT JOIN staged.reopened o ON o.id = p.old
   WHERE iif(coalesce(a.state, 0) = 0, a.id IS NOT NULL OR d.id IS NOT NULL OR v.id IS NOT NULL, v.asked_at IS NOT NULL OR d.id IS NOT NULL AND v.id IS NOT NULL)
   ORDER BY r.id`,
  `INSERT INTO span (host, rank, first, size, remaining)
   SELECT host, rank, min(id), count(*), count(*) FROM (
     SELECT id, host, rank, id - row_number() OVER (PARTITION BY host, rank ORDER BY id) AS run FROM request
     WHERE NOT EXISTS (${SETTLED}) AND id NOT IN (SELECT id FROM delayed))
   GROUP BY host, rank, run ORDER BY host, rank, min(id)`,
  `UPDATE reason SET failed = (SELECT count(*) FROM trouble t JOIN attempt a ON a.id = t.id WHERE t.reason = reason.id AND a.state = 3)`,
  `CREATE TABLE staged.counted AS SELECT r.host, sum(a.state = 1) AS done, sum(a.state = 2) AS moved, sum(a.state = 3) AS failed,
   sum(a.state <> 0 AND d.id IS NOT NULL) AS again FROM request r JOIN attempt a ON a.id = r.id LEFT JOIN delayed d ON d.id = r.id GROUP BY r.host`,
  `UPDATE host SET done = c.done, moved = c.moved, failed = c.failed, again = c.again FROM staged.counted c WHERE c.host = host.id`,
  `UPDATE host SET ready = coalesce((SELECT sum(remaining) FROM span WHERE span.host = host.id), 0),
   delayed = (SELECT count(*) FROM delayed WHERE delayed.host = host.id)`,
  // As HostTable has it.
  `UPDATE host SET due_at = CASE
     WHEN max(ready_at, iif(retired_for IS NULL, 0, coalesce(probe_at, ${NEVER}))) >= ${NEVER} OR ready + delayed = 0 THEN NULL
     ELSE max(ready_at, iif(retired_for IS NULL, 0, probe_at),
       iif(ready > 0, 0, coalesce((SELECT min(not_before) FROM delayed WHERE delayed.host = host.id), 0))) END`,
  `UPDATE host SET rank = CASE WHEN due_at IS NULL THEN 0
     WHEN ready > 0 THEN (SELECT min(rank) FROM span WHERE span.host = host.id)
     ELSE (SELECT d.rank FROM delayed d WHERE d.host = host.id ORDER BY d.not_before, d.rank LIMIT 1) END`,
]

/** Fills the empty tables of `db` from those of `staged`. */
export function rebuild(db: Database, crawl: RebuiltCrawl, reached: (done: number, total: number) => void): void {
  STEPS.forEach((step, index) => {
    db.exec(step)
    reached(index + 1, STEPS.length)
  })
  db.prepare(
    `INSERT INTO crawl (id, name, canonicalisation, host_keying, created_at, last_at, run, known, done, moved, failed, items, rejects, again)
     SELECT 1, @name, @canonicalisation, @hostKeying, @createdAt, @lastAt, (SELECT coalesce(max(run), 0) FROM attempt), (SELECT count(*) FROM request), sum(state = 1), sum(state = 2), sum(state = 3),
     (SELECT count(*) FROM item), (SELECT count(*) FROM reject), (SELECT coalesce(sum(again), 0) FROM host) FROM (SELECT state FROM attempt UNION ALL SELECT 0)`,
  ).run(crawl)
}

/**
 * Says how far sinks are. Where items are missing or come again, a file is written again from the first item that it begins with: no line of it is there
 * twice, and none is missing.
 */
export function keepSinks(db: Database, isWhole: boolean): void {
  db.exec(`INSERT INTO sink (name, item_seq, record) SELECT name, item_seq, record FROM staged.sink;
    INSERT OR IGNORE INTO sink (name, item_seq, record) SELECT name, item_seq, record FROM (${sinksOfVersion8('staged.export')})`)
  if (!isWhole) db.exec(REWIND_SINKS)
}
