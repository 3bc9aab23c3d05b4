// SQL for requests: which are new, how they are put into the store, and which are handed out next.
//
// New ones are looked for first, without a lock; then their hosts are locked, and then they are inserted. Who has the lock of a host is alone with its URLs: of
// two that insert the same one the second fails on it once it has the lock, and is called again to look behind the lock (commit-functions.sql.ts). Ids are
// given in the order of discovery, and inserted in that order, so that their index grows at its end. Rejected: ON CONFLICT, some CPU of each for what is rare.
// Handing out is a read. A row is a JSON list: [host, id, fingerprint, parent, rank, depth, handler, path, anchor, from delayed, path of the parent, origin of
// the parent, attempt, deaths, extra, visited]; what is rare is null. What was never tried has no attempt, so nobody looks for one.
// Of more than 1,024 delayed requests of a host that are due at once, the ones due longest are looked at; otherwise the order is exact.
import { NEVER } from '@avocet/store-sql'
import { BY_INDEX_PLANNED_ONCE as PLANS } from './plans.ts'

const OFFER = `
-- Places, from 1, of those whose fingerprints are not known, or of all.
CREATE FUNCTION {S}.fresh_links(p_fp uuid[], p_all boolean) RETURNS int[] LANGUAGE plpgsql AS $$
BEGIN
  IF p_all THEN RETURN ARRAY(SELECT n FROM generate_series(1, cardinality(p_fp)) n); END IF;
  RETURN (SELECT coalesce(array_agg(u.n::int ORDER BY u.n), '{}') FROM unnest(p_fp) WITH ORDINALITY u (fp, n)
    WHERE NOT EXISTS (SELECT 1 FROM {S}.request r WHERE r.fingerprint = u.fp));
END $$;

-- Hosts by key, made where they are new: ids in the order of p_key.
CREATE FUNCTION {S}.obtain_hosts(p_key text[], p_origin text[]) RETURNS int[] LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(cardinality(p_key), 0) = 0 THEN RETURN '{}'; END IF;
  INSERT INTO {S}.host (key, origin) SELECT u.key, u.origin FROM unnest(p_key, p_origin) u (key, origin) ORDER BY u.key COLLATE "C" ON CONFLICT DO NOTHING;
  RETURN (SELECT array_agg(h.id ORDER BY u.n) FROM unnest(p_key) WITH ORDINALITY u (key, n),
    LATERAL (SELECT g.id FROM {S}.host g WHERE g.key = u.key LIMIT 1) h);
END $$;

CREATE FUNCTION {S}.origins_of(p_ids int[]) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(h.origin ORDER BY u.n), '{}') FROM unnest(p_ids) WITH ORDINALITY u (id, n),
    LATERAL (SELECT g.origin FROM {S}.host g WHERE g.id = u.id) h);
END $$;

-- Puts the requests at places p_fresh into the store. A host below 0 is one of p_made, and its path a whole URL. Returns what their hosts gained; the caller
-- has locked them, and counts that.
CREATE FUNCTION {S}.put_links(p_fresh int[], p_made int[], p_host int[], p_rank bigint[], p_fp uuid[], p_path text[], p_depth int[], p_handler int[],
  p_parent bigint[], p_anchor text[], p_not_before bigint[], p_extra text, OUT hosts int[], OUT readies int[], OUT delays int[], OUT ranks bigint[])
LANGUAGE plpgsql AS $$
DECLARE v_ids bigint[];
BEGIN
  IF cardinality(p_fresh) = 0 THEN RETURN; END IF;
  v_ids := ARRAY(SELECT nextval('{S}.request_id') FROM unnest(p_fresh));
  WITH fresh AS MATERIALIZED (SELECT u.id, u.n, CASE WHEN p_host[u.n] < 0 THEN p_made[-p_host[u.n]] ELSE p_host[u.n] END AS host, p_rank[u.n] AS rank,
    p_not_before[u.n] AS not_before FROM unnest(v_ids, p_fresh) u (id, n)),
  made AS (INSERT INTO {S}.request (id, parent, rank, fingerprint, host, depth, handler, path, anchor)
    SELECT f.id, p_parent[f.n], f.rank, p_fp[f.n], f.host, p_depth[f.n], p_handler[f.n],
      CASE WHEN p_host[f.n] > 0 THEN p_path[f.n] ELSE {S}.path_at(f.host, p_path[f.n]) END, p_anchor[f.n] FROM fresh f),
  waits AS (INSERT INTO {S}.ready (host, rank, id) SELECT f.host, f.rank, f.id FROM fresh f WHERE f.not_before IS NULL),
  later AS (INSERT INTO {S}.delayed (id, host, not_before, rank) SELECT f.id, f.host, f.not_before, f.rank FROM fresh f WHERE f.not_before IS NOT NULL)
  SELECT array_agg(g.host), array_agg(g.ready), array_agg(g.delayed), array_agg(g.rank) INTO hosts, readies, delays, ranks FROM (
    SELECT f.host, count(*) FILTER (WHERE f.not_before IS NULL)::int AS ready, count(f.not_before)::int AS delayed,
      min(f.rank) FILTER (WHERE f.not_before IS NULL) AS rank FROM fresh f GROUP BY f.host) g;
  IF p_extra IS NOT NULL THEN
    INSERT INTO {S}.extra (id, asked_at, hops, method, headers, body, data, redirected_from, identity)
      SELECT v_ids[array_position(p_fresh, e.n)], e.asked_at, e.hops, e.method, e.headers, e.body, e.data, e.redirected_from, e.identity
      FROM json_to_recordset(p_extra::json) e (n int, asked_at bigint, hops int, method text, headers text, body text, data text, redirected_from text,
        identity text) WHERE e.n = ANY (p_fresh);
  END IF;
END $$;

-- A path of the host's own origin begins with a slash; any other URL is kept whole.
CREATE FUNCTION {S}.path_at(p_host int, p_url text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_origin text;
BEGIN
  SELECT h.origin INTO v_origin FROM {S}.host h WHERE h.id = p_host;
  RETURN CASE WHEN starts_with(p_url, v_origin || '/') THEN substr(p_url, length(v_origin) + 1) ELSE p_url END;
END $$;

-- What hosts gained, and of each of p_done that one request of it is done. Only free hosts have a moment and a rank: those that gained only what is ready
-- have them by difference.
CREATE FUNCTION {S}.count_at_hosts(p_host int[], p_ready int[], p_delayed int[], p_rank bigint[], p_done int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_anew int[];
BEGIN
  WITH sums AS (SELECT u.host, sum(u.ready)::int AS ready, sum(u.delayed)::int AS delayed, min(u.rank) AS rank, sum(u.done)::int AS done FROM (
      SELECT g.host, g.ready, g.delayed, g.rank, 0 AS done FROM unnest(p_host, p_ready, p_delayed, p_rank) g (host, ready, delayed, rank)
      UNION ALL SELECT d.host, -1, 0, NULL, 1 FROM unnest(p_done) d (host)) u GROUP BY u.host),
  counted AS (UPDATE {S}.host h SET ready = h.ready + s.ready, delayed = h.delayed + s.delayed, done = h.done + s.done,
    rank = CASE WHEN h.owner IS NOT NULL OR s.rank IS NULL THEN h.rank WHEN h.ready > 0 AND h.due_at IS NOT NULL THEN least(h.rank, s.rank) ELSE s.rank END,
    due_at = CASE WHEN h.owner IS NOT NULL OR h.ready + s.ready <= 0 THEN h.due_at WHEN h.retired_for IS NULL THEN nullif(least(h.ready_at, ${String(NEVER)}), ${String(NEVER)})
      ELSE nullif(least(greatest(h.ready_at, coalesce(h.probe_at, ${String(NEVER)})), ${String(NEVER)}), ${String(NEVER)}) END
    FROM sums s WHERE h.id = s.host RETURNING h.id, h.owner, s.delayed, h.ready)
  SELECT array_agg(c.id) INTO v_anew FROM counted c WHERE c.owner IS NULL AND c.delayed <> 0 AND c.ready <= 0;
  IF v_anew IS NOT NULL THEN PERFORM {S}.refresh_hosts(v_anew); END IF;
END $$;
`

const HAND_OUT = `
-- The same where all that waits was never tried, which is nearly always so: a fraction of the questions. Each host's requests come by rank and id without an
-- ORDER BY in json_agg: every join is a nested loop (plans.ts turns the others off), each lateral subquery needs the one before, and a nested loop keeps the
-- order of its outer side, here that of c.
CREATE FUNCTION {S}.ready_requests(p_hosts int[], p_each int, p_out bigint[]) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT json_agg(json_build_array(r.host, r.id, r.fingerprint, r.parent, r.rank, r.depth, r.handler, r.path, r.anchor, false, p.path,
      CASE WHEN p.host <> r.host THEN (SELECT o.origin FROM {S}.host o WHERE o.id = p.host) END, NULL, x.runs, e.row, NULL))
    FROM unnest(p_hosts) u (host), LATERAL (SELECT w.id FROM {S}.ready w WHERE w.host = u.host AND NOT w.id = ANY (p_out) ORDER BY w.rank, w.id LIMIT p_each) c
    CROSS JOIN LATERAL (SELECT * FROM {S}.request g WHERE g.id = c.id) r
    LEFT JOIN {S}.request p ON p.id = r.parent
    LEFT JOIN {S}.death x ON x.id = c.id
    LEFT JOIN LATERAL (SELECT json_build_array(g.method, g.headers, g.body, g.data, g.hops, g.redirected_from, g.identity, g.asked_at) AS row
      FROM {S}.extra g WHERE g.id = c.id) e ON true);
END $$;

CREATE FUNCTION {S}.due_requests(p_hosts int[], p_each int, p_now bigint, p_out bigint[]) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM {S}.host h WHERE h.id = ANY (p_hosts) AND h.delayed > 0) THEN RETURN {S}.ready_requests(p_hosts, p_each, p_out); END IF;
  RETURN (SELECT json_agg(json_build_array(c.host, c.id, r.fingerprint, r.parent, r.rank, r.depth, r.handler, r.path, r.anchor, c.later, p.path, o.origin,
      a.row, x.runs, e.row, v.row) ORDER BY c.place, c.rank, c.due, c.id)
    FROM (SELECT u.host, u.place, b.* FROM unnest(p_hosts) WITH ORDINALITY u (host, place), LATERAL (
      SELECT q.* FROM (
        (SELECT w.id, w.rank, 0::bigint AS due, false AS later FROM {S}.ready w WHERE w.host = u.host AND NOT w.id = ANY (p_out)
          ORDER BY w.rank, w.id LIMIT p_each)
        UNION ALL
        (SELECT d.id, d.rank, coalesce((SELECT z.due_at FROM {S}.visited z WHERE z.id = d.id), 0), true FROM {S}.delayed d
          WHERE d.host = u.host AND d.not_before <= p_now AND NOT d.id = ANY (p_out) ORDER BY d.not_before LIMIT 1024)) q
      ORDER BY q.rank, q.due, q.id LIMIT p_each) b) c
    CROSS JOIN LATERAL (SELECT * FROM {S}.request g WHERE g.id = c.id) r
    LEFT JOIN LATERAL (SELECT g.path, g.host FROM {S}.request g WHERE g.id = r.parent) p ON true
    LEFT JOIN LATERAL (SELECT g.origin FROM {S}.host g WHERE g.id = p.host AND g.id <> c.host) o ON true
    LEFT JOIN LATERAL (SELECT g.runs FROM {S}.death g WHERE g.id = c.id) x ON true
    LEFT JOIN LATERAL (SELECT json_build_array(g.method, g.headers, g.body, g.data, g.hops, g.redirected_from, g.identity, g.asked_at) AS row
      FROM {S}.extra g WHERE g.id = c.id) e ON true
    LEFT JOIN LATERAL (SELECT json_build_array(g.attempts, g.free_attempts, g.state) AS row FROM {S}.attempt g WHERE c.later AND g.id = c.id) a ON true
    LEFT JOIN LATERAL (SELECT json_build_array(g.visits, g.due_at, g.skipped, g.etag, g.last_modified, g.body_hash, g.missing, g.missing_since, g.asked_at) AS row
      FROM {S}.visited g WHERE c.later AND g.id = c.id) v ON true);
END $$;

-- [hosts, requests, next delayed at of each host], of those hosts that are held under these epochs; NULL where none is.
CREATE FUNCTION {S}.refill(p_process int, p_hosts int[], p_epochs int[], p_n int, p_now bigint, p_out bigint[]) RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_held int[]; v_next bigint[];
BEGIN
  SELECT array_agg(h.id ORDER BY u.n), array_agg(CASE WHEN h.delayed > 0 THEN (SELECT d.not_before FROM {S}.delayed d WHERE d.host = h.id AND d.not_before > p_now
      ORDER BY d.not_before LIMIT 1) END ORDER BY u.n) INTO v_held, v_next
    FROM unnest(p_hosts, p_epochs) WITH ORDINALITY u (id, epoch, n), LATERAL (SELECT g.id, g.delayed FROM {S}.host g
      WHERE g.id = u.id AND g.owner = p_process AND g.epoch = u.epoch AND g.retired_for IS NULL) h;
  IF v_held IS NULL THEN RETURN NULL; END IF;
  RETURN json_build_array(v_held, CASE WHEN p_n > 0 THEN {S}.due_requests(v_held, p_n, p_now, p_out) END, v_next);
END $$;
`

/** Functions for requests. */
export const REQUEST_FUNCTIONS: string = `${OFFER}${HAND_OUT}`

// SQL for readers: what would be planned otherwise where the statistics of a table are old, or missing.

/** Functions for reads. */
export const READ_FUNCTIONS: string = `
-- Ids of requests that are kept under one of two spellings. The filters of request_path are worth it also where the planner thinks otherwise.
CREATE FUNCTION {S}.requests_at(p_path text, p_url text) RETURNS SETOF bigint LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off SET jit = off AS $$
  SELECT r.id FROM {S}.request r WHERE r.path = p_path UNION SELECT r.id FROM {S}.request r WHERE r.path = p_url
$$;
`
