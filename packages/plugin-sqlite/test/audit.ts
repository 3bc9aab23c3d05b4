// Recounts a store: every total against the rows that it is the total of, every waiting request in exactly one queue.
import Database from 'better-sqlite3'

/** Name of what must hold, and a query that finds rows only when it does not. */
const RULES: Readonly<Record<string, string>> = {
  'ids have no gaps':
    'SELECT 1 FROM crawl WHERE known <> (SELECT count(*) FROM request) OR known <> (SELECT coalesce(max(id), 0) FROM request)',
  'done is recounted': 'SELECT 1 FROM crawl WHERE done <> (SELECT count(*) FROM attempt WHERE state = 1)',
  'moved is recounted': 'SELECT 1 FROM crawl WHERE moved <> (SELECT count(*) FROM attempt WHERE state = 2)',
  'failed is recounted': 'SELECT 1 FROM crawl WHERE failed <> (SELECT count(*) FROM attempt WHERE state = 3)',
  'items are recounted': 'SELECT 1 FROM crawl WHERE items <> (SELECT count(*) FROM item)',
  'items are of settled requests': 'SELECT 1 FROM item i LEFT JOIN attempt a ON a.id = i.request WHERE a.id IS NULL',
  'ready is recounted': 'SELECT 1 FROM host h WHERE ready <> (SELECT coalesce(sum(remaining), 0) FROM span WHERE host = h.id)',
  'delayed is recounted': 'SELECT 1 FROM host h WHERE delayed <> (SELECT count(*) FROM delayed WHERE host = h.id)',
  'done of hosts is recounted': `SELECT 1 FROM host h WHERE done <>
    (SELECT count(*) FROM request r JOIN attempt a ON a.id = r.id WHERE r.host = h.id AND a.state = 1)`,
  'failed of hosts is recounted': `SELECT 1 FROM host h WHERE failed <>
    (SELECT count(*) FROM request r JOIN attempt a ON a.id = r.id WHERE r.host = h.id AND a.state = 3)`,
  'reasons are recounted': `SELECT 1 FROM reason r WHERE failed <>
    (SELECT count(*) FROM trouble t JOIN attempt a ON a.id = t.id WHERE t.reason = r.id AND a.state = 3)`,
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

/** Names of the rules that do not hold, SQLite's own check among them. */
export function audit(path: string): string[] {
  const db = new Database(path)
  try {
    const check = db.pragma('integrity_check', { simple: true })
    const broken = Object.entries(RULES).filter(([, query]) => db.prepare(`${query} LIMIT 1`).get() !== undefined)
    return [...(check === 'ok' ? [] : [String(check)]), ...broken.map(([name]) => name)]
  } finally {
    db.close()
  }
}
