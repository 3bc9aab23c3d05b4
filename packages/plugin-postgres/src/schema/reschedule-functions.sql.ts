// SQL for known requests that become due at another moment: failed ones are opened again, settled ones scheduled or taken off it.
//
// All of them go among the delayed, never into `ready`: that has what was never tried. What the calling process has handed out (p_out) is left alone.
// NULL where the process was buried: its totals are gone, and nothing could be counted.
// Their hosts are locked in the order of ids before anything is changed; what changed between finding and locking is looked at again.
import { BY_INDEX_OR_BITMAP as PLANS } from './plans.ts'
import { requestLaws } from '@avocet/core/store'

/** Functions for requests that are due at another moment. Without changes of their parameters, so that they can take the place of older ones. */
export const RESCHEDULE_FUNCTIONS: string = `
CREATE FUNCTION {S}.hosts_of(p_ids bigint[]) RETURNS int[] LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(DISTINCT r.host), '{}') FROM unnest(p_ids) u (id), LATERAL (SELECT g.host FROM {S}.request g WHERE g.id = u.id) r);
END $$;

-- Failed requests wait again; p_words: reasons. Oldest first. Returns how many.
CREATE FUNCTION {S}.reopen(p_process int, p_token uuid, p_no bigint, p_key text, p_words text[], p_ids bigint[], p_limit int, p_out bigint[], p_sync text) RETURNS int
LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_ids bigint[]; v_hosts int[]; v_host int; x record; v_count int := 0; v_reason int;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  IF p_key IS NOT NULL THEN
    SELECT h.id INTO v_host FROM {S}.host h WHERE h.key = p_key;
    IF NOT FOUND THEN RETURN 0; END IF;
  END IF;
  SELECT array_agg(y.id ORDER BY y.id) INTO v_ids FROM (SELECT a.id FROM {S}.attempt a, LATERAL (SELECT r.host FROM {S}.request r WHERE r.id = a.id) r
    WHERE a.state = 3 AND (v_host IS NULL OR r.host = v_host) AND (p_ids IS NULL OR a.id = ANY (p_ids))
    AND (p_words IS NULL OR EXISTS (SELECT 1 FROM {S}.trouble t, {S}.reason z WHERE t.id = a.id AND z.id = t.reason AND z.word = ANY (p_words)))
    ORDER BY a.id LIMIT p_limit) y;
  IF v_ids IS NULL THEN RETURN 0; END IF;
  v_hosts := {S}.hosts_of(v_ids);
  PERFORM {S}.lock_hosts(v_hosts);
  FOR x IN SELECT r.id, r.host, r.rank, a.state FROM unnest(v_ids) u (id), LATERAL (SELECT * FROM {S}.request g WHERE g.id = u.id) r,
    LATERAL (SELECT g.state FROM {S}.attempt g WHERE g.id = u.id) a ORDER BY r.id LOOP
    -- Once its host is locked, it may be another thing than what was asked for.
    CONTINUE WHEN x.state <> 3 OR x.id = ANY (p_out) OR (p_words IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM {S}.trouble t, {S}.reason z WHERE t.id = x.id AND z.id = t.reason AND z.word = ANY (p_words)));
    IF {S}.undelay(x.id, x.host) THEN PERFORM {S}.count_state(p_process, x.host, 0, 0, -1); END IF;
    UPDATE {S}.attempt a SET state = 0, attempts = 0, free_attempts = 0 WHERE a.id = x.id;
    UPDATE {S}.trouble t SET blame = NULL, error = NULL WHERE t.id = x.id RETURNING t.reason INTO v_reason;
    PERFORM {S}.count_reason(p_process, v_reason, -1);
    UPDATE {S}.visited v SET missing = 0 WHERE v.id = x.id AND v.missing < 0;
    PERFORM {S}.count_state(p_process, x.host, 3, -1, 0);
    PERFORM {S}.delay(x.id, x.host, x.rank, 0);
    DELETE FROM {S}.death y WHERE y.id = x.id;
    v_count := v_count + 1;
  END LOOP;
  PERFORM {S}.refresh_hosts(v_hosts);
  UPDATE {S}.process p SET changes = p.changes + 1 WHERE p.id = p_process;
  RETURN v_count;
END $$;

-- What a link or a seed asked for is due whatever the rules say. No moment: it is taken off.
CREATE FUNCTION {S}.revisit(p_process int, p_token uuid, p_no bigint, p_ids bigint[], p_at bigint[], p_out bigint[], p_sync text) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_hosts int[]; x record; v_was boolean;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  v_hosts := {S}.hosts_of(p_ids);
  PERFORM {S}.lock_hosts(v_hosts);
  FOR x IN SELECT r.id, r.host, r.rank, u.at FROM unnest(p_ids, p_at) WITH ORDINALITY u (id, at, n), LATERAL (SELECT * FROM {S}.request g WHERE g.id = u.id) r,
    LATERAL (SELECT g.state FROM {S}.attempt g WHERE g.id = u.id) a WHERE a.state > 0 AND NOT u.id = ANY (p_out)
    AND NOT EXISTS (SELECT 1 FROM {S}.visited v WHERE v.id = u.id AND v.asked_at IS NOT NULL) ORDER BY u.n LOOP
    v_was := {S}.undelay(x.id, x.host);
    PERFORM {S}.count_state(p_process, x.host, 0, 0, CASE WHEN x.at IS NULL THEN 0 ELSE 1 END - CASE WHEN v_was THEN 1 ELSE 0 END);
    CONTINUE WHEN x.at IS NULL;
    INSERT INTO {S}.visited AS v (id, visits, due_at, skipped, page_at, page_visit)
      VALUES (x.id, 1, x.at, 0, (SELECT a.fetched_at FROM {S}.attempt a WHERE a.id = x.id), 0)
      ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, missing = greatest(v.missing, 0);
    UPDATE {S}.attempt a SET attempts = 0, free_attempts = 0 WHERE a.id = x.id;
    PERFORM {S}.delay(x.id, x.host, x.rank, x.at);
  END LOOP;
  PERFORM {S}.refresh_hosts(v_hosts);
  UPDATE {S}.process p SET changes = p.changes + 1 WHERE p.id = p_process;
  RETURN true;
END $$;
`

// SQL for given-up requests that nobody needs to look at any more: the laws of core, one request at a time.
//
// Their hosts are locked in the order of ids before anything is changed; what changed between finding and locking is looked at again.

/** The function that drops given-up requests. */
export const DROP_FUNCTION: string = `
-- Failed requests that are not due again, unless because they are gone, or with p_retired those that wait under hosts which were given up and which nobody holds, are dropped. Oldest first.
-- Returns how many.
CREATE FUNCTION {S}.drop_given_up(p_process int, p_token uuid, p_no bigint, p_key text, p_words text[], p_ids bigint[], p_retired boolean, p_limit int, p_sync text) RETURNS int
LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_ids bigint[]; v_hosts int[]; v_host int; x record; v_count int := 0; v_reason int;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  IF p_key IS NOT NULL THEN
    SELECT h.id INTO v_host FROM {S}.host h WHERE h.key = p_key;
    IF NOT FOUND THEN RETURN 0; END IF;
  END IF;
  IF p_retired THEN
    SELECT array_agg(y.id ORDER BY y.id) INTO v_ids FROM (SELECT w.id FROM (SELECT h.id FROM {S}.host h WHERE h.retired_for IS NOT NULL AND h.owner IS NULL
      AND (v_host IS NULL OR h.id = v_host)) h, LATERAL (SELECT r.id FROM {S}.ready r WHERE r.host = h.id
      UNION ALL SELECT d.id FROM {S}.delayed d WHERE d.host = h.id AND NOT EXISTS (SELECT 1 FROM {S}.attempt a WHERE a.id = d.id AND a.state > 0)) w
      WHERE p_ids IS NULL OR w.id = ANY (p_ids) ORDER BY w.id LIMIT p_limit) y;
  ELSE
    SELECT array_agg(y.id ORDER BY y.id) INTO v_ids FROM (SELECT a.id FROM {S}.attempt a, LATERAL (SELECT r.host FROM {S}.request r WHERE r.id = a.id) r
      WHERE a.state = 3 AND (v_host IS NULL OR r.host = v_host) AND (p_ids IS NULL OR a.id = ANY (p_ids))
      AND (NOT EXISTS (SELECT 1 FROM {S}.delayed d WHERE d.id = a.id) OR EXISTS (SELECT 1 FROM {S}.visited v WHERE v.id = a.id AND v.missing < 0))
      AND EXISTS (SELECT 1 FROM {S}.trouble t, {S}.reason z WHERE t.id = a.id AND z.id = t.reason AND NOT starts_with(z.word, '${requestLaws.DROPPED_PREFIX}')
        AND (p_words IS NULL OR z.word = ANY (p_words))) ORDER BY a.id LIMIT p_limit) y;
  END IF;
  IF v_ids IS NULL THEN RETURN 0; END IF;
  v_hosts := {S}.hosts_of(v_ids);
  PERFORM {S}.lock_hosts(v_hosts);
  FOR x IN SELECT r.id, r.host, r.rank, coalesce((SELECT a.state FROM {S}.attempt a WHERE a.id = r.id), 0) AS state, h.retired_for IS NOT NULL AND h.owner IS NULL AS is_left,
      EXISTS (SELECT 1 FROM {S}.delayed d WHERE d.id = r.id) AND NOT EXISTS (SELECT 1 FROM {S}.visited v WHERE v.id = r.id AND v.missing < 0) AS is_due,
      (SELECT z.word FROM {S}.trouble t, {S}.reason z WHERE t.id = r.id AND z.id = t.reason) AS word
    FROM unnest(v_ids) u (id), LATERAL (SELECT * FROM {S}.request g WHERE g.id = u.id) r, LATERAL (SELECT * FROM {S}.host g WHERE g.id = r.host) h ORDER BY r.id LOOP
    CONTINUE WHEN p_retired AND (x.state <> 0 OR NOT x.is_left);
    CONTINUE WHEN NOT p_retired AND (x.state <> 3 OR x.is_due OR starts_with(x.word, '${requestLaws.DROPPED_PREFIX}'));
    DELETE FROM {S}.death y WHERE y.id = x.id;
    v_count := v_count + 1;
    IF {S}.undelay(x.id, x.host) THEN
      IF NOT p_retired THEN PERFORM {S}.count_state(p_process, x.host, 0, 0, -1); END IF;
    ELSIF p_retired THEN
      DELETE FROM {S}.ready r WHERE r.host = x.host AND r.rank = x.rank AND r.id = x.id;
      UPDATE {S}.host h SET ready = h.ready - 1 WHERE h.id = x.host;
    END IF;
    v_reason := {S}.word_id('reason', CASE WHEN p_retired THEN '${requestLaws.DROPPED_WITH_HOST}' ELSE '${requestLaws.DROPPED_PREFIX}' || x.word END);
    IF p_retired THEN
      INSERT INTO {S}.attempt (id, state, attempts, free_attempts) VALUES (x.id, 3, 0, 0) ON CONFLICT (id) DO UPDATE SET state = 3;
      PERFORM {S}.count_state(p_process, x.host, 3, 1, 0);
    ELSE PERFORM {S}.count_reason(p_process, (SELECT t.reason FROM {S}.trouble t WHERE t.id = x.id), -1);
    END IF;
    PERFORM {S}.put_trouble(x.id, v_reason, NULL, NULL, NULL);
    PERFORM {S}.count_reason(p_process, v_reason, 1);
    UPDATE {S}.visited v SET missing = 0 WHERE v.id = x.id AND v.missing < 0;
  END LOOP;
  PERFORM {S}.refresh_hosts(v_hosts);
  UPDATE {S}.process p SET changes = p.changes + 1 WHERE p.id = p_process;
  RETURN v_count;
END $$;
`
