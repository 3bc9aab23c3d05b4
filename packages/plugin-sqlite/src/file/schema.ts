// The tables. What each is for, what it costs, and the rule that keeps it small.
//
// `request` is append-only: rows are written once, in id order, and never touched again, so its pages stay full. Ids have no gaps:
// the highest is `crawl.known`. A path without its host's origin; the rare fields of a request in `extra`.
// `known` finds a row by the first 48 bits of its fingerprint (7 bytes of key); the row has all 128 (see identity-index.ts).
// `span` is the waiting queue: the rows of one commit are grouped by host and priority, so a group is one range of ids and one row here, deleted when
// nothing of it is left. A URL that is alone in its group costs 15 bytes until it is settled.
// `delayed` has what waits for a moment of its own. A waiting request is in exactly one of the two.
// `attempt` has a row for each request that was ever tried: state and history of the last fetch, ≤ 40 bytes. No row: waiting, in a span.
// `visited` has one for each request that was or is to be recrawled: how often it was fetched, when it is due, and the validators of its last response.
// `missing`: crawls in a row in which the page was missing (404, 410) or had moved for good, the first at `missing_since`; negative once it is believed to be
// gone: in how many. `asked_at`: since when a visit that a link or a seed asks for is due, and `asked_by`: the request whose page has the link; NULL: a seed.
// `extra.asked_at`: the same for the first visit. `page_at` and `page_visit`: of the last page that a handler got, when it was fetched and the visit that
// its items are of; of a request without a row, these are `attempt.fetched_at` and 0. A settled request that is due again is in `delayed`, and is counted
// in `host.again` and `crawl.again`; `host.delayed` counts it too.
// `trouble` has one for each that failed, moved or was put back with a reason.
// `handler_error` has one for each kind of error in the user's code, a hundred and one at most. Rows go: ids of theirs are kept by nobody but `trouble`.
// `kind`: core's `groupOf`, '' for all that are not listed one by one; `seen_at`: when a page failed with it last, to the hour.
// `host.due_at` is the earliest moment of a free host that has something waiting, of a retired one that of its probe; NULL of all others. So the indexes
// find the hosts due soonest, and among those of one rank, without looking at any other. `host.rank` is that of its best waiting request.
// `host.probation`: 0 once it was given back as one that responds. `host.probe_at`: when a retired host is asked once, to see whether it is back; NULL:
// in a later run.
// `reject` has one for each item that the schema or a sink refused (`kind`: core's `rejectGroupOf`). Ids of rows are used once: somebody may decide on
// one that is gone. `json`: the item as it was yielded; NULL: a sink refused the item at this place.
// `host`, `watch_key` and `watch_value`: of an item that is held, its host and what it is watched by; NULL of all others.
// `watched` has what is known of each watched item of a host (core's `WatchedItem`), `shown` what each page shows (`ShownItem`: a digest, for most items
// are on one page, which shows the value in `watched`), and `change` what became of an item; numbers of changes are used once, without gaps, so with
// `crawl.changes_gone` the last one says how many there are.
// `record` has what documents of plugins yield beside links, such as a saved file: no items, so no total, mark or output knows of them.
// `sink.record` is what core keeps of a sink (`SinkRecord`), NULL until there is something; `item_seq` is that of its mark, and `owner` the process that
// runs it. `crawl.run`: number of the run; it began when a process opened the store that no other one had open. `attempt.run`: of the last visit.
// `crawl.last_at`: the latest moment that any run wrote. `process.heartbeat` is ms of the monotonic clock that all processes of a machine share, for wall
// clocks may differ; `process.crawl_at`: the crawl's time, in epoch ms, at that heartbeat; `process.hungry_at`: when it last found no host to lease while
// others held some.
// `orders` has what operators have ordered, by moment.
// `item_age`: items up to `seq` were there at `at`, a hundred rows at most; `crawl.items` counts those that are gone, too (upkeep/prune.ts). The newest item
// stays, so no number is given twice.
// `host_memory` has row ids: a search in a table without them reads the whole of each row that it passes, and a robots.txt of 500 KiB may be one.
// `rank` is -priority, so that every index ascends.

/** 'Avoc' in the header of the file: what makes it ours (sqlite.org/fileformat2.html §1.3.8). */
export const APPLICATION_ID = 0x41766f63

/** 'AvoR': of a file of kept responses, which is no store. */
export const CACHE_APPLICATION_ID = 0x41766f52

/** Raised whenever the tables change. Stores of other versions are refused. */
export const SCHEMA_VERSION = 2

/** Creates the tables of a new store. */
export const SCHEMA: string = `
CREATE TABLE crawl (
  id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, canonicalisation TEXT NOT NULL, host_keying TEXT NOT NULL,
  created_at INTEGER NOT NULL, last_at INTEGER NOT NULL DEFAULT 0, run INTEGER NOT NULL DEFAULT 0, known INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0, moved INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, again INTEGER NOT NULL DEFAULT 0,
  items INTEGER NOT NULL DEFAULT 0, rejects INTEGER NOT NULL DEFAULT 0, indexed_up_to INTEGER NOT NULL DEFAULT 0,
  merging_up_to INTEGER NOT NULL DEFAULT 0, merging_slice INTEGER NOT NULL DEFAULT 0,
  items_gone INTEGER NOT NULL DEFAULT 0, changes_gone INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE host (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, origin TEXT NOT NULL, ready_at INTEGER NOT NULL DEFAULT 0, due_at INTEGER,
  rank INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, delayed INTEGER NOT NULL DEFAULT 0, again INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0, moved INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, retried INTEGER NOT NULL DEFAULT 0,
  owner INTEGER, epoch INTEGER NOT NULL DEFAULT 0, abandoned INTEGER NOT NULL DEFAULT 0, probation INTEGER NOT NULL DEFAULT 1,
  probe_at INTEGER, retired_for TEXT) STRICT;
CREATE INDEX host_owner ON host (owner) WHERE owner IS NOT NULL;
CREATE INDEX host_retired ON host (retired_for) WHERE retired_for IS NOT NULL;
CREATE INDEX host_due ON host (probation, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX host_best ON host (probation, rank, due_at) WHERE due_at IS NOT NULL;
CREATE TABLE host_memory (host INTEGER NOT NULL, part TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (host, part)) STRICT;
CREATE TABLE request (
  id INTEGER PRIMARY KEY, host INTEGER NOT NULL, path TEXT NOT NULL, fingerprint BLOB NOT NULL, parent INTEGER,
  depth INTEGER NOT NULL, rank INTEGER NOT NULL, handler INTEGER NOT NULL, anchor TEXT) STRICT;
CREATE TABLE extra (
  id INTEGER PRIMARY KEY, method TEXT, headers TEXT, body TEXT, data TEXT, hops INTEGER, redirected_from TEXT, identity TEXT,
  asked_at INTEGER) STRICT;
CREATE TABLE known (key INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT;
CREATE TABLE span (
  host INTEGER NOT NULL, rank INTEGER NOT NULL, first INTEGER NOT NULL, size INTEGER NOT NULL, skip INTEGER NOT NULL DEFAULT 0,
  remaining INTEGER NOT NULL, PRIMARY KEY (host, rank, first)) STRICT, WITHOUT ROWID;
CREATE TABLE delayed (id INTEGER PRIMARY KEY, host INTEGER NOT NULL, not_before INTEGER NOT NULL, rank INTEGER NOT NULL) STRICT;
CREATE INDEX delayed_due ON delayed (host, not_before, rank);
CREATE TABLE attempt (
  id INTEGER PRIMARY KEY, state INTEGER NOT NULL, attempts INTEGER NOT NULL, free_attempts INTEGER NOT NULL,
  fetched_at INTEGER, status INTEGER, duration_ms INTEGER, wire_bytes INTEGER, run INTEGER) STRICT;
CREATE TABLE visited (
  id INTEGER PRIMARY KEY, visits INTEGER NOT NULL, due_at INTEGER NOT NULL, skipped INTEGER NOT NULL, etag TEXT, last_modified TEXT,
  body_hash TEXT, missing INTEGER NOT NULL DEFAULT 0, missing_since INTEGER, asked_at INTEGER, asked_by INTEGER, page_at INTEGER,
  page_visit INTEGER) STRICT;
CREATE INDEX visited_missing ON visited (missing_since) WHERE missing > 0;
CREATE TABLE trouble (id INTEGER PRIMARY KEY, reason INTEGER, blame TEXT, target TEXT, error INTEGER) STRICT;
CREATE INDEX trouble_error ON trouble (error) WHERE error IS NOT NULL;
CREATE TABLE reason (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, failed INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE handler (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE handler_error (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE, json TEXT NOT NULL, seen_at INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE item (
  seq INTEGER PRIMARY KEY, request INTEGER NOT NULL, visit INTEGER NOT NULL DEFAULT 0, ordinal INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX item_once ON item (request, visit, ordinal);
CREATE TABLE record (
  seq INTEGER PRIMARY KEY, request INTEGER NOT NULL, visit INTEGER NOT NULL, ordinal INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX record_place ON record (request, visit, ordinal);
CREATE TABLE reject (
  id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, request INTEGER NOT NULL, visit INTEGER NOT NULL, ordinal INTEGER NOT NULL, json TEXT,
  reason TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, host INTEGER, watch_key TEXT, watch_value TEXT) STRICT;
CREATE UNIQUE INDEX reject_place ON reject (request, visit, ordinal, source);
CREATE INDEX reject_kind ON reject (source, kind);
CREATE TABLE sink (name TEXT PRIMARY KEY, item_seq INTEGER NOT NULL DEFAULT 0, record TEXT, owner INTEGER) STRICT;
CREATE TABLE process (
  id INTEGER PRIMARY KEY AUTOINCREMENT, boot TEXT NOT NULL, namespace TEXT NOT NULL, pid INTEGER NOT NULL, thread INTEGER NOT NULL,
  started TEXT NOT NULL, heartbeat INTEGER NOT NULL, hungry_at INTEGER NOT NULL DEFAULT 0, crawl_at INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE crawl_memory (
  process INTEGER NOT NULL, part TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (process, part)) STRICT, WITHOUT ROWID;
CREATE TABLE orders (at INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT;
CREATE TABLE death (id INTEGER PRIMARY KEY, runs INTEGER NOT NULL) STRICT;
CREATE INDEX reject_held ON reject (host) WHERE host IS NOT NULL;
CREATE TABLE watched (
  host INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, source INTEGER NOT NULL, pages INTEGER NOT NULL, gone INTEGER NOT NULL,
  PRIMARY KEY (host, key)) STRICT, WITHOUT ROWID;
CREATE TABLE shown (
  request INTEGER NOT NULL, key TEXT NOT NULL, digest INTEGER NOT NULL, missed INTEGER NOT NULL, PRIMARY KEY (request, key)) STRICT, WITHOUT ROWID;
CREATE TABLE change (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, host INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, before TEXT, after TEXT, request INTEGER NOT NULL,
  visit INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE INDEX change_key ON change (key, host);
CREATE TABLE item_age (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, bytes INTEGER NOT NULL, items INTEGER NOT NULL) STRICT;
`
