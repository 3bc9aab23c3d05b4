// What holds in every sound store, as queries that find rows only where it does not: every total against the rows that it is the total of, every request
// that waits in exactly one queue. Linear in the rows, but for look-ups by key.
import { HELD_SOURCE, SCHEMA_SOURCE } from '@avocet/core/store'

const UNTRIED_SPAN = `(SELECT s.first + s.size FROM span s WHERE s.host = r.host AND s.rank = r.rank AND s.first <= r.id AND s.first + s.skip <= r.id
  ORDER BY s.first DESC LIMIT 1) > r.id`

/** By the sentence that must hold, a query for what contradicts it. */
export const RULES: Readonly<Record<string, string>> = {
  'ids have no gaps':
    'SELECT 1 FROM crawl WHERE known <> (SELECT count(*) FROM request) OR known <> (SELECT coalesce(max(id), 0) FROM request)',
  'a request that is not settled waits in a queue': `SELECT 1 FROM request r LEFT JOIN attempt a ON a.id = r.id LEFT JOIN delayed d ON d.id = r.id
    WHERE coalesce(a.state, 0) = 0 AND d.id IS NULL AND NOT (a.id IS NULL AND coalesce(${UNTRIED_SPAN}, 0))`,
  'no request waits twice': `SELECT 1 FROM delayed d JOIN request r ON r.id = d.id LEFT JOIN attempt a ON a.id = d.id
    WHERE a.id IS NULL AND coalesce(${UNTRIED_SPAN}, 0)`,
  'a request waits at its own host':
    'SELECT 1 FROM delayed d LEFT JOIN request r ON r.id = d.id WHERE r.host IS NULL OR r.host <> d.host',
  'what was tried is known':
    'SELECT 1 FROM attempt a LEFT JOIN request r ON r.id = a.id WHERE r.id IS NULL OR a.state NOT IN (0, 1, 2, 3)',
  'a request has a host': 'SELECT 1 FROM request r LEFT JOIN host h ON h.id = r.host WHERE h.id IS NULL',
  'what waits and what is remembered is of a known host': `SELECT 1 FROM span s LEFT JOIN host h ON h.id = s.host WHERE h.id IS NULL
    UNION ALL SELECT 1 FROM host_memory m LEFT JOIN host h ON h.id = m.host WHERE h.id IS NULL`,
  'a request has a handler': 'SELECT 1 FROM request r LEFT JOIN handler n ON n.id = r.handler WHERE n.id IS NULL',
  'a link is of a page that is known':
    'SELECT 1 FROM request r LEFT JOIN request p ON p.id = r.parent WHERE r.parent IS NOT NULL AND p.id IS NULL',
  'what is kept of a request is of a known one': `SELECT 1 FROM (SELECT id FROM extra UNION ALL SELECT id FROM visited
    UNION ALL SELECT id FROM trouble UNION ALL SELECT id FROM death) o LEFT JOIN request r ON r.id = o.id WHERE r.id IS NULL`,
  'reasons and errors of troubles are known': `SELECT 1 FROM trouble t LEFT JOIN reason y ON y.id = t.reason LEFT JOIN handler_error e ON e.id = t.error
    WHERE (t.reason IS NOT NULL AND y.id IS NULL) OR (t.error IS NOT NULL AND e.id IS NULL)`,
  'no count is below zero': `SELECT 1 FROM crawl WHERE min(known, done, moved, failed, items, items_gone, changes_gone, again, rejects) < 0
    UNION ALL SELECT 1 FROM host WHERE min(ready, delayed, again, done, moved, failed, retried) < 0`,
  'an item is there once by request, visit and ordinal':
    'SELECT 1 FROM item NOT INDEXED GROUP BY request, visit, ordinal HAVING count(*) > 1',
  // What `#` stands before is a text of a plugin's own: a robots.txt.
  'memory is JSON or empty': `SELECT 1 FROM host_memory WHERE json <> '' AND part NOT LIKE '#%' AND NOT json_valid(json)
    UNION ALL SELECT 1 FROM crawl_memory WHERE json <> '' AND NOT json_valid(json)`,
  'orders are JSON': 'SELECT 1 FROM orders WHERE NOT json_valid(json)',
  // Pages of two tables of one shape may be in each other's place. Core counts the exchanges of a host in its part of that host's memory, and of no crawl.
  'the memory of the crawl is not that of hosts': `SELECT 1 FROM crawl_memory WHERE part = 'core' AND json_valid(json)
    AND json_type(json, '$[1].seq') IS NOT NULL`,
  'what is kept of a sink is JSON, and has its mark': `SELECT 1 FROM sink WHERE record IS NOT NULL
    AND (NOT json_valid(record) OR item_seq <> coalesce(json_extract(record, '$.mark.itemSeq'), 0))`,
  'items are JSON': 'SELECT 1 FROM item WHERE NOT json_valid(json)',
  'what is done, moved and failed is recounted': `SELECT 1 FROM crawl WHERE (done, moved, failed) <>
    (SELECT coalesce(sum(state = 1), 0), coalesce(sum(state = 2), 0), coalesce(sum(state = 3), 0) FROM attempt)`,
  'items are recounted, with those that are gone': 'SELECT 1 FROM crawl WHERE items - items_gone <> (SELECT count(*) FROM item)',
  'items are of settled requests': 'SELECT 1 FROM item i LEFT JOIN attempt a ON a.id = i.request WHERE a.id IS NULL',
  'rejects are recounted': 'SELECT 1 FROM crawl WHERE rejects <> (SELECT count(*) FROM reject)',
  'what the schema refused and what is held is no item, and what a sink refused is one, or a change': `SELECT 1 FROM reject j LEFT JOIN item i ON i.request = j.request
    AND i.visit = j.visit AND i.ordinal = j.ordinal WHERE (j.json IS NULL) <> (i.seq IS NOT NULL) OR (j.json IS NULL) = (j.ordinal < 0 OR j.source IN ('${SCHEMA_SOURCE}', '${HELD_SOURCE}'))`,
  'rejects are JSON, of requests that were tried, each once a source': `SELECT 1 FROM reject j LEFT JOIN attempt a ON a.id = j.request
    WHERE a.id IS NULL OR NOT coalesce(json_valid(j.json), 1)
    UNION ALL SELECT 1 FROM reject NOT INDEXED GROUP BY request, visit, ordinal, source HAVING count(*) > 1`,
  'only what is held has a host, which is that of its request': `SELECT 1 FROM reject j LEFT JOIN request r ON r.id = j.request
    WHERE (j.host IS NOT NULL) <> (j.source = '${HELD_SOURCE}') OR j.host <> r.host`,
  'the last change of a watched item says what it is': `SELECT 1 FROM watched w LEFT JOIN (SELECT host, key, max(seq) AS seq FROM change GROUP BY host, key) l
    ON l.host = w.host AND l.key = w.key LEFT JOIN change c ON c.seq = l.seq
    WHERE c.seq IS NOT NULL AND ((w.gone = 1) <> (c.kind = 'gone') OR coalesce(c.after, c.before) <> w.value)
    UNION ALL SELECT 1 FROM watched WHERE NOT json_valid(value)`,
  'the pages of a watched item are recounted, and one that is gone has none': `SELECT 1 FROM (SELECT r.host, s.key, count(*) AS pages, min(s.missed) AS missed
    FROM shown s LEFT JOIN request r ON r.id = s.request GROUP BY r.host, s.key) n FULL JOIN watched w ON w.host = n.host AND w.key = n.key
    WHERE coalesce(w.pages, 0) <> coalesce(n.pages, 0) OR (w.gone = 1 AND w.pages > 0) OR n.missed < -1`,
  'the page that gave a watched item its value shows it':
    'SELECT 1 FROM watched w LEFT JOIN shown s ON s.request = abs(w.source) AND s.key = w.key WHERE w.source <> 0 AND (s.key IS NULL OR (w.source > 0) <> (s.missed = 0))',
  'changes are recounted, with those that are gone':
    'SELECT 1 FROM crawl WHERE (SELECT coalesce(max(seq), 0) FROM change) - changes_gone <> (SELECT count(*) FROM change)',
  'a change has what was and what is': `SELECT 1 FROM change WHERE (kind IN ('changed', 'gone', 'back')) <> (before IS NOT NULL)
    OR (kind IN ('new', 'changed', 'back')) <> (after IS NOT NULL) OR (kind = 'changed' AND before = after)`,
  'records are JSON, of requests that were tried, each once at its place': `SELECT 1 FROM record d LEFT JOIN attempt a ON a.id = d.request
    WHERE a.id IS NULL OR NOT json_valid(d.json) UNION ALL SELECT 1 FROM record NOT INDEXED GROUP BY request, visit, ordinal HAVING count(*) > 1`,
  'ready is recounted': 'SELECT 1 FROM host h WHERE ready <> (SELECT coalesce(sum(remaining), 0) FROM span WHERE host = h.id)',
  'delayed is recounted': 'SELECT 1 FROM host h WHERE delayed <> (SELECT count(*) FROM delayed WHERE host = h.id)',
  // Grouped once: requests have no index by host, nor have troubles by reason, and a sum for each host would read all of them for each.
  'what is done, moved and failed of hosts is recounted': `SELECT 1 FROM host h LEFT JOIN (SELECT r.host AS id, sum(a.state = 1) AS done,
    sum(a.state = 2) AS moved, sum(a.state = 3) AS failed FROM attempt a JOIN request r ON r.id = a.id GROUP BY r.host) n ON n.id = h.id
    WHERE (h.done, h.moved, h.failed) <> (coalesce(n.done, 0), coalesce(n.moved, 0), coalesce(n.failed, 0))`,
  'reasons are recounted': `SELECT 1 FROM reason y LEFT JOIN (SELECT t.reason AS id, count(*) AS failed FROM trouble t JOIN attempt a ON a.id = t.id
    WHERE a.state = 3 GROUP BY t.reason) n ON n.id = y.id WHERE y.failed <> coalesce(n.failed, 0)`,
  'spans hold what they say': `SELECT 1 FROM span s WHERE remaining <> (SELECT count(*) FROM request r WHERE r.id >= s.first + s.skip
    AND r.id < s.first + s.size AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.id = r.id)) OR remaining = 0`,
  'spans are of one host and priority': `SELECT 1 FROM span s JOIN request r ON r.id >= s.first AND r.id < s.first + s.size
    WHERE r.host <> s.host OR r.rank <> s.rank`,
  'a host that is due has the rank of its best request': `SELECT 1 FROM host h WHERE due_at IS NOT NULL AND ready > 0
    AND rank <> (SELECT min(rank) FROM span WHERE host = h.id)`,
  'again is recounted: what is delayed and settled': `SELECT 1 FROM crawl WHERE again <>
    (SELECT count(*) FROM delayed d JOIN attempt a ON a.id = d.id WHERE a.state <> 0)`,
  'again of hosts is recounted': `SELECT 1 FROM host h WHERE again <>
    (SELECT count(*) FROM delayed d JOIN attempt a ON a.id = d.id WHERE d.host = h.id AND a.state <> 0)`,
  'what is due again has been visited': `SELECT 1 FROM delayed d JOIN attempt a ON a.id = d.id LEFT JOIN visited v ON v.id = d.id
    WHERE a.state <> 0 AND v.id IS NULL`,
  'what a link asked for again waits for that':
    'SELECT 1 FROM visited v WHERE v.asked_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM delayed d WHERE d.id = v.id)',
  'no request was visited in a run that has not begun': 'SELECT 1 FROM attempt WHERE run > (SELECT run FROM crawl)',
  'what is gone failed or moved':
    'SELECT 1 FROM visited v LEFT JOIN attempt a ON a.id = v.id WHERE v.missing < 0 AND coalesce(a.state, 0) NOT IN (2, 3)',
  'what is missing has been so since a moment': 'SELECT 1 FROM visited WHERE (missing > 0) <> (missing_since IS NOT NULL)',
  'every waiting request is in one queue': `SELECT 1 FROM crawl WHERE known - done - moved - failed + again <>
    (SELECT coalesce(sum(remaining), 0) FROM span) + (SELECT count(*) FROM delayed)`,
  'free hosts with something to do are due': `SELECT 1 FROM host WHERE (due_at IS NOT NULL) <>
    (owner IS NULL AND (retired_for IS NULL OR probe_at IS NOT NULL) AND ready + delayed > 0 AND ready_at < 9e15)`,
  'retired hosts are due no sooner than their probe': 'SELECT 1 FROM host WHERE retired_for IS NOT NULL AND due_at < probe_at',
  'only retired hosts have a probe': 'SELECT 1 FROM host WHERE retired_for IS NULL AND probe_at IS NOT NULL',
  'the index has every row up to its mark': `SELECT 1 FROM crawl WHERE indexed_up_to >
    (SELECT count(*) FROM known WHERE id <= (SELECT indexed_up_to FROM crawl))`,
}
