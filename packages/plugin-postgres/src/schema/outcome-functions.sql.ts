// SQL for what becomes of single requests: outcomes that are no first visit that ended well, visits that somebody asks for, pages that are opened again.
//
// These are the laws of core (`requestLaws`), one request at a time, for they are rare.
// An attempt counts when something was fetched, or when it says so. What is settled with a next visit stays settled, and waits in `delayed`.
// One visit in a run is enough: `attempt.run` has the number of the run of the last one. Callers have locked the hosts.

import { BY_INDEX as PLANS } from './plans.ts'
import { ERROR_SEEN_EVERY_MS, MAX_ERROR_GROUPS, OTHER_ERRORS, STALE_ERROR_GROUPS } from '@avocet/core/store'

const TOTALS = `
-- Counts at the host and in the totals: p_state is that of a settled request (1 done, 2 moved, 3 failed; 0: none), p_again those that are due again.
CREATE FUNCTION {S}.count_state(p_process int, p_host int, p_state int, p_more int, p_again int) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  IF p_state = 0 AND p_again = 0 THEN RETURN; END IF;
  UPDATE {S}.host h SET done = h.done + CASE WHEN p_state = 1 THEN p_more ELSE 0 END, moved = h.moved + CASE WHEN p_state = 2 THEN p_more ELSE 0 END,
    failed = h.failed + CASE WHEN p_state = 3 THEN p_more ELSE 0 END, again = h.again + p_again WHERE h.id = p_host;
  UPDATE {S}.process p SET done = p.done + CASE WHEN p_state = 1 THEN p_more ELSE 0 END, moved = p.moved + CASE WHEN p_state = 2 THEN p_more ELSE 0 END,
    failed = p.failed + CASE WHEN p_state = 3 THEN p_more ELSE 0 END, again = p.again + p_again WHERE p.id = p_process;
END $$;

CREATE FUNCTION {S}.count_reason(p_process int, p_reason int, p_more int) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  IF p_reason IS NULL THEN RETURN; END IF;
  INSERT INTO {S}.reason_total (failed, process, reason) VALUES (p_more, p_process, p_reason)
    ON CONFLICT (process, reason) DO UPDATE SET failed = reason_total.failed + p_more;
END $$;

CREATE FUNCTION {S}.delay(p_id bigint, p_host int, p_rank bigint, p_at bigint) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  INSERT INTO {S}.delayed (id, host, not_before, rank) VALUES (p_id, p_host, p_at, p_rank) ON CONFLICT (id) DO UPDATE SET not_before = excluded.not_before;
  UPDATE {S}.host h SET delayed = h.delayed + 1 WHERE h.id = p_host;
END $$;

CREATE FUNCTION {S}.undelay(p_id bigint, p_host int) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  DELETE FROM {S}.delayed d WHERE d.id = p_id;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE {S}.host h SET delayed = h.delayed - 1 WHERE h.id = p_host;
  RETURN true;
END $$;
`

const SETTLE = `
-- p_kind: 0 put back, 1 done, 2 moved, 3 failed. Takes one out of where it waits.
CREATE FUNCTION {S}.settle(p_process int, p_run int, o record) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
DECLARE
  v_from text := 'nowhere'; v_before int := 0; v_was_again int := 0; v_reason int; v_counted int;
BEGIN
  DELETE FROM {S}.ready r WHERE r.host = o.host AND r.rank = o.rank AND r.id = o.id;
  IF FOUND THEN
    v_from := 'ready';
    UPDATE {S}.host h SET ready = h.ready - 1 WHERE h.id = o.host;
  ELSIF {S}.undelay(o.id, o.host) THEN v_from := 'delayed';
  END IF;
  IF v_from <> 'ready' THEN v_before := coalesce((SELECT a.state FROM {S}.attempt a WHERE a.id = o.id), 0); END IF;
  IF v_before > 0 AND v_from = 'delayed' THEN v_was_again := 1; END IF;
  IF v_before > 0 AND o.kind > 0 THEN
    DELETE FROM {S}.trouble t WHERE t.id = o.id RETURNING t.reason INTO v_reason;
    IF v_before = 3 THEN PERFORM {S}.count_reason(p_process, v_reason, -1); END IF;
    PERFORM {S}.count_state(p_process, o.host, v_before, -1, 0);
  END IF;
  v_counted := CASE WHEN o.kind = 0 THEN o.counted WHEN o.fetched_at IS NULL THEN 0 ELSE 1 END;
  INSERT INTO {S}.attempt AS a (id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes, run)
    VALUES (o.id, CASE WHEN o.kind = 0 THEN v_before ELSE o.kind END, v_counted, CASE WHEN o.kind = 0 THEN 1 - o.counted ELSE 0 END, o.fetched_at, o.status,
      o.duration, o.wire, CASE WHEN o.kind > 0 THEN p_run ELSE 0 END)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, attempts = least(a.attempts::int + excluded.attempts, 32767), free_attempts = least(a.free_attempts::int + excluded.free_attempts, 32767),
      fetched_at = coalesce(excluded.fetched_at, a.fetched_at), status = coalesce(excluded.status, a.status),
      duration_ms = coalesce(excluded.duration_ms, a.duration_ms), wire_bytes = coalesce(excluded.wire_bytes, a.wire_bytes),
      run = CASE WHEN o.kind > 0 THEN p_run ELSE a.run END;
  IF o.kind = 0 THEN
    UPDATE {S}.host h SET retried = h.retried + 1 WHERE h.id = o.host;
    IF v_before = 0 THEN PERFORM {S}.put_trouble(o.id, o.reason, NULL, NULL, NULL); END IF;
    PERFORM {S}.count_state(p_process, o.host, 0, 0, CASE WHEN v_before > 0 THEN 1 ELSE 0 END - v_was_again);
  ELSE
    IF o.kind = 2 THEN PERFORM {S}.put_trouble(o.id, NULL, NULL, o.target, NULL); END IF;
    IF o.kind = 3 THEN
      PERFORM {S}.put_trouble(o.id, o.reason, o.blame, NULL, o.error);
      PERFORM {S}.count_reason(p_process, o.reason, 1);
    END IF;
    PERFORM {S}.finish_round(v_from, o);
    IF o.at IS NOT NULL THEN UPDATE {S}.attempt a SET attempts = 0, free_attempts = 0 WHERE a.id = o.id; END IF;
    PERFORM {S}.count_state(p_process, o.host, o.kind, 1, CASE WHEN o.at IS NULL THEN 0 ELSE 1 END - v_was_again);
  END IF;
  DELETE FROM {S}.death x WHERE x.id = o.id;
  IF o.at IS NOT NULL THEN PERFORM {S}.delay(o.id, o.host, o.rank, o.at); END IF;
END $$;

CREATE FUNCTION {S}.put_trouble(p_id bigint, p_reason int, p_blame text, p_target text, p_error int) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  INSERT INTO {S}.trouble (id, reason, blame, target, error) VALUES (p_id, p_reason, p_blame, p_target, p_error)
    ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, blame = excluded.blame, target = excluded.target, error = excluded.error;
END $$;

-- A round has ended. A page that is gone has a missing of -1: it counts down.
CREATE FUNCTION {S}.finish_round(p_from text, o record) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  IF o.at IS NOT NULL THEN
    INSERT INTO {S}.visited AS v (id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since, page_at, page_visit)
      VALUES (o.id, 1, o.at, o.skipped, o.etag, o.last_modified, o.body_hash, o.missing, o.since, o.page_at, CASE WHEN o.page_at IS NULL THEN NULL ELSE 0 END)
      ON CONFLICT (id) DO UPDATE SET visits = v.visits + 1, due_at = excluded.due_at, skipped = v.skipped + excluded.skipped, etag = excluded.etag,
        last_modified = excluded.last_modified, body_hash = excluded.body_hash, missing_since = excluded.missing_since,
        missing = CASE WHEN o.missing < 0 THEN least(v.missing, 0) - 1 ELSE o.missing END,
        asked_at = NULL, page_at = coalesce(o.page_at, v.page_at), page_visit = CASE WHEN o.page_at IS NULL THEN v.page_visit ELSE v.visits END;
  ELSIF p_from <> 'ready' THEN
    UPDATE {S}.visited v SET visits = v.visits + 1, etag = NULL, last_modified = NULL, body_hash = NULL, missing_since = NULL,
      missing = CASE WHEN o.missing < 0 THEN least(v.missing, 0) - 1 ELSE 0 END,
      asked_at = NULL, page_at = coalesce(o.page_at, v.page_at), page_visit = CASE WHEN o.page_at IS NULL THEN v.page_visit ELSE v.visits END
      WHERE v.id = o.id;
  END IF;
  IF o.missing < 0 THEN
    INSERT INTO {S}.visited AS v (id, visits, due_at, skipped, missing) VALUES (o.id, 1, coalesce(o.fetched_at, 0), 0, -1)
      ON CONFLICT (id) DO NOTHING;
  END IF;
END $$;

-- The kind of an error in the user's code, made if need be: what makes room is said at core's MAX_ERROR_GROUPS. '': all that are not listed one by one.
CREATE FUNCTION {S}.error_id(p_kind text, p_json text, p_at bigint) RETURNS int LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_id int; v_seen bigint; v_at bigint := coalesce(p_at, (SELECT max(e.seen_at) FROM {S}.handler_error e), 0); v_others int; v_gone int;
BEGIN
  SELECT e.id, e.seen_at INTO v_id, v_seen FROM {S}.handler_error e WHERE e.kind = p_kind FOR KEY SHARE;
  IF FOUND THEN
    IF v_at - v_seen >= ${String(ERROR_SEEN_EVERY_MS)} THEN UPDATE {S}.handler_error e SET seen_at = v_at WHERE e.id = v_id; END IF;
    RETURN v_id;
  END IF;
  IF p_kind <> '' AND (SELECT count(*) FROM {S}.handler_error e WHERE e.kind <> '') >= ${String(MAX_ERROR_GROUPS)} THEN
    DELETE FROM {S}.handler_error e WHERE e.kind <> '' AND NOT EXISTS (SELECT 1 FROM {S}.trouble t WHERE t.error = e.id);
    IF NOT FOUND THEN
      SELECT x.id INTO v_gone FROM (SELECT e.id, e.seen_at FROM {S}.handler_error e WHERE e.kind <> '' ORDER BY e.seen_at, e.id
        LIMIT ${String(STALE_ERROR_GROUPS)}) x
        ORDER BY (SELECT count(*) FROM (SELECT 1 FROM {S}.trouble t WHERE t.error = x.id LIMIT 10000) y), x.seen_at, x.id LIMIT 1;
      v_others := {S}.error_id('', ${literal(JSON.stringify(OTHER_ERRORS))}, 0);
      UPDATE {S}.trouble t SET error = v_others WHERE t.error = v_gone;
      DELETE FROM {S}.handler_error e WHERE e.id = v_gone;
    END IF;
  END IF;
  INSERT INTO {S}.handler_error (kind, json, seen_at) VALUES (p_kind, p_json, v_at) ON CONFLICT (kind) DO UPDATE SET kind = excluded.kind RETURNING id INTO v_id;
  RETURN v_id;
END $$;

CREATE FUNCTION {S}.settle_all(p_process int, p_run int, p_outcomes text) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
DECLARE o record;
BEGIN
  FOR o IN SELECT * FROM json_to_recordset(p_outcomes::json) x (id bigint, host int, rank bigint, kind int, counted int, at bigint, reason int, blame text,
    target text, error_kind text, error_json text, error int, fetched_at bigint, status int, duration int, wire bigint, skipped int, etag text, last_modified text, body_hash text, missing int,
    since bigint, page_at bigint)
  LOOP
    IF o.error_kind IS NOT NULL THEN o.error := {S}.error_id(o.error_kind, o.error_json, o.fetched_at); END IF;
    PERFORM {S}.settle(p_process, p_run, o);
  END LOOP;
END $$;
`

const ASK = `
CREATE FUNCTION {S}.asked_hosts(p_asks text) RETURNS int[] LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(DISTINCT r.host), '{}') FROM json_to_recordset(p_asks::json) x (fp uuid),
    LATERAL (SELECT g.host FROM {S}.request g WHERE g.fingerprint = x.fp LIMIT 1) r);
END $$;

-- Links and seeds that ask for a page in each run: what an earlier run has settled is due for its next visit. Returns places and ranks, in turns, of those that are due now.
CREATE FUNCTION {S}.ask_again(p_process int, p_run int, p_asks text) RETURNS bigint[] LANGUAGE plpgsql ${PLANS} AS $$
DECLARE x record; s record; v_asked bigint[] := '{}'; v_hosts int[] := '{}'; v_undelayed boolean;
BEGIN
  FOR x IN SELECT * FROM json_to_recordset(p_asks::json) j (n int, fp uuid, at bigint, asker bigint, modified bigint, is_out boolean) LOOP
    SELECT r.id, r.rank, r.host, coalesce(a.state, 0) AS state, coalesce(a.attempts::int + a.free_attempts, 0) AS tries, d.not_before, a.fetched_at,
      coalesce(a.run = p_run, false) AS visited, v.asked_at IS NOT NULL AS asked INTO s
      FROM {S}.request r LEFT JOIN LATERAL (SELECT * FROM {S}.attempt g WHERE g.id = r.id) a ON true
      LEFT JOIN LATERAL (SELECT * FROM {S}.delayed g WHERE g.id = r.id) d ON true LEFT JOIN LATERAL (SELECT * FROM {S}.visited g WHERE g.id = r.id) v ON true
      WHERE r.fingerprint = x.fp;
    CONTINUE WHEN NOT FOUND OR s.visited OR s.asked OR (x.modified IS NOT NULL AND s.fetched_at >= x.modified);
    CONTINUE WHEN s.state = 0 OR x.is_out OR (s.not_before IS NOT NULL AND (s.not_before <= x.at OR s.tries > 0));
    PERFORM {S}.put_asked(s.id, x.at, x.asker);
    v_undelayed := {S}.undelay(s.id, s.host);
    UPDATE {S}.attempt a SET attempts = 0, free_attempts = 0 WHERE a.id = s.id;
    PERFORM {S}.count_state(p_process, s.host, 0, 0, CASE WHEN v_undelayed THEN 0 ELSE 1 END);
    PERFORM {S}.delay(s.id, s.host, s.rank, x.at);
    v_asked := v_asked || x.n::bigint || s.rank; v_hosts := v_hosts || s.host;
  END LOOP;
  IF cardinality(v_hosts) > 0 THEN PERFORM {S}.refresh_hosts(v_hosts); END IF;
  RETURN v_asked;
END $$;

-- A round that comes later stays as it is.
CREATE FUNCTION {S}.put_asked(p_id bigint, p_at bigint, p_by bigint) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  INSERT INTO {S}.visited AS v (id, visits, due_at, skipped, asked_at, asked_by, page_at, page_visit)
    VALUES (p_id, 1, p_at, 0, p_at, p_by, (SELECT a.fetched_at FROM {S}.attempt a WHERE a.id = p_id), 0)
    ON CONFLICT (id) DO UPDATE SET due_at = greatest(v.due_at, excluded.due_at), asked_at = excluded.asked_at, asked_by = excluded.asked_by;
END $$;
`

/** Functions for outcomes. */
export const OUTCOME_FUNCTIONS: string = `${TOTALS}${SETTLE}${ASK}`

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
