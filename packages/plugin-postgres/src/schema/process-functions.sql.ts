// SQL for the processes of a crawl: signing in, beats, burying, and what each of them sees of the others.
//
// A process is its row: without it nothing of it is written. Whoever commits or releases has its row locked, whoever leases shares it, and who buries a process
// takes it for itself, so that no lease or commit of the dead comes after. It is buried only while its beat is still the one that was seen for so long.
// Its totals go to row 0 then. Nobody locks his own row and another's in one transaction.
// What a network delivers late does no harm: what says how something is has a number (`in_order`); a group, and what leases, have numbers of their own
// (group_no, lease_no); what releases, and what a holder says of its host, has the epoch of the lease; a beat and the crawl's time only rise, and one more
// keeps a process alive that lives; a sign-in that nobody knows of is buried; what buries has the beat that it saw; sign_out names the sign-in by its token.
// Beats are not synced: if a crash of the server takes one back, the next one is on top of what is there. The crawl's time only rises.
// What a page that was in progress is accused of is in owners.ts of plugin-sqlite: three deaths, in the last of them alone, and it is given up.
import { requestLaws } from '@avocet/core/store'
import { BY_INDEX as PLANS } from './plans.ts'

// How long a process counts as idle.

/** After it said so, in crawl time; it says so every second. */
export const IDLE_MS = 3_000

/** A megabyte: below, a file that is made anew costs more than it gives. */
const WORTH_TIDYING_BYTES = 1_048_576

const ORDER = `
-- A call that says how something is, and comes when the process that made it has given up waiting and made another one, must not undo that: each has a number
-- in its lane, in which its process makes one after the other. False: a later one was here.
CREATE FUNCTION {S}.in_order(p_process int, p_lane text, p_no bigint) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  INSERT INTO {S}.call_order AS o (no, process, lane) VALUES (p_no, p_process, p_lane)
    ON CONFLICT (process, lane) DO UPDATE SET no = excluded.no WHERE o.no < excluded.no;
  RETURN FOUND;
END $$;

-- The same beside what this process commits; it cannot be buried meanwhile. NULL: it was.
CREATE FUNCTION {S}.in_lane(p_process int, p_token uuid, p_lane text, p_no bigint) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR KEY SHARE;
  RETURN CASE WHEN FOUND THEN {S}.in_order(p_process, p_lane, p_no) END;
END $$;
`

const LIVES = `
-- Signs in. Where nobody was heard for p_silent_ms by this server's clock, a run begins, and the crawl's time goes on from that clock, if that is later: a process
-- that is dead and not buried yet must not keep the time of the crawl where it stood. Beside others it is what the last of them raised it to, and how long ago
-- that was by this server's clock: otherwise a process that joins between two beats begins up to one beat behind, and its waits end early by as much once its
-- first beat is answered.
-- [id, run, crawl time].
CREATE FUNCTION {S}.sign_in(p_token uuid, p_boot text, p_namespace text, p_pid int, p_thread int, p_started text, p_machine text, p_silent_ms bigint)
RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_alone boolean; v_run int; v_at bigint; v_id int; v_now timestamptz := clock_timestamp();
BEGIN
  PERFORM 1 FROM {S}.crawl c WHERE c.id = 1 FOR UPDATE;
  v_alone := NOT EXISTS (SELECT 1 FROM {S}.process p WHERE p.id > 0 AND p.heard_at > v_now - p_silent_ms * interval '1 millisecond');
  UPDATE {S}.crawl c SET run = c.run + CASE WHEN v_alone THEN 1 ELSE 0 END,
    crawl_at = CASE WHEN v_alone THEN greatest(c.crawl_at, floor(extract(epoch FROM v_now) * 1000)::bigint) ELSE c.crawl_at END,
    raised_at = CASE WHEN v_alone THEN v_now ELSE c.raised_at END
    WHERE c.id = 1 RETURNING c.run, c.crawl_at + greatest(0, least(10000, floor(extract(epoch FROM v_now - c.raised_at) * 1000)::bigint)) INTO v_run, v_at;
  INSERT INTO {S}.process (token, boot, namespace, pid, thread, started, machine, signed_in_at)
    VALUES (p_token, p_boot, p_namespace, p_pid, p_thread, p_started, p_machine, v_at) RETURNING id INTO v_id;
  RETURN json_build_array(v_id, v_run, v_at, (SELECT coalesce(max(o.at), 0) FROM {S}.orders o));
END $$;

CREATE FUNCTION {S}.processes() RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  RETURN (SELECT coalesce(json_agg(json_build_array(p.id, p.beat, p.boot, p.namespace, p.pid, p.thread, p.started, p.token, p.machine) ORDER BY p.id), '[]')
    FROM {S}.process p WHERE p.id > 0);
END $$;

-- p_beat: the last that this process was answered with, which a crash of the server may have taken back. It is raised, and not compared: the answer to an earlier
-- one may be lost, or come late. [crawl time, processes, beat]; NULL where this process was buried. The process knows how many it has sent: whatever is more than
-- that is of somebody who has its token as well (membership.ts). That the store is an older one is found out by the numbers of groups, which are synced (commit.ts).
CREATE FUNCTION {S}.beat(p_process int, p_token uuid, p_beat bigint, p_now bigint) RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_at bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE {S}.process p SET beat = greatest(p.beat, p_beat) + 1, heard_at = clock_timestamp() WHERE p.id = p_process AND p.token = p_token;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE {S}.crawl c SET crawl_at = p_now, raised_at = clock_timestamp() WHERE c.id = 1 AND c.crawl_at < p_now;
  SELECT c.crawl_at INTO v_at FROM {S}.crawl c;
  RETURN json_build_array(v_at, {S}.processes(), (SELECT p.beat FROM {S}.process p WHERE p.id = p_process));
END $$;

-- Ends a process, dead or leaving. p_beat: only if its last beat is this one. Returns how many pages were given up; NULL where it is not so.
CREATE FUNCTION {S}.sign_out(p_process int, p_token uuid, p_beat bigint, p_died boolean, p_in_progress bigint[], p_now bigint, p_sync text) RETURNS int
LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_hosts int[]; v_suspects bigint[]; v_id bigint; v_count int := 0; g record;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  SELECT * INTO g FROM {S}.process p WHERE p.id = p_process AND p.token = p_token AND (p_beat IS NULL OR p.beat = p_beat) FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE {S}.process p SET changes = p.changes + g.changes + 1, memory_no = p.memory_no + g.memory_no, known = p.known + g.known, done = p.done + g.done,
    moved = p.moved + g.moved, failed = p.failed + g.failed, items = p.items + g.items, again = p.again + g.again, rejects = p.rejects + g.rejects WHERE p.id = 0;
  SELECT coalesce(array_agg(DISTINCT u.id), '{}') INTO v_suspects FROM (SELECT unnest(p_in_progress) AS id
    UNION SELECT i.request FROM {S}.in_progress i WHERE i.process = p_process) u WHERE p_died;
  SELECT coalesce(array_agg(h.id), '{}') INTO v_hosts FROM {S}.host h WHERE h.owner = p_process;
  PERFORM {S}.lock_hosts(v_hosts || {S}.hosts_of(v_suspects));
  UPDATE {S}.host h SET owner = NULL, abandoned = p_died WHERE h.id = ANY (v_hosts);
  FOREACH v_id IN ARRAY v_suspects LOOP
    IF {S}.accuse(v_id, cardinality(v_suspects) = 1) THEN v_count := v_count + 1; END IF;
  END LOOP;
  PERFORM {S}.refresh_hosts(v_hosts || {S}.hosts_of(v_suspects));
  INSERT INTO {S}.reason_total AS t (failed, process, reason) SELECT x.failed, 0, x.reason FROM {S}.reason_total x WHERE x.process = p_process
    ON CONFLICT (process, reason) DO UPDATE SET failed = t.failed + excluded.failed;
  DELETE FROM {S}.reason_total t WHERE t.process = p_process;
  DELETE FROM {S}.in_progress i WHERE i.process = p_process;
  DELETE FROM {S}.call_order o WHERE o.process = p_process;
  UPDATE {S}.sink s SET owner = NULL WHERE s.owner = p_process;
  DELETE FROM {S}.process p WHERE p.id = p_process;
  UPDATE {S}.crawl c SET crawl_at = p_now, raised_at = clock_timestamp() WHERE c.id = 1 AND c.crawl_at < p_now;
  RETURN v_count;
END $$;

-- The last to leave gives back the disk of a queue that is empty: the server would keep the pages of its index, and a queue may have been half of all URLs.
-- Fails after 100 ms if somebody reads or writes the queue. The last to leave next time tries again.
CREATE FUNCTION {S}.tidy() RETURNS void LANGUAGE plpgsql ${PLANS} SET lock_timeout = '100ms' AS $$
BEGIN
  IF pg_relation_size('{S}.ready_pkey') < ${String(WORTH_TIDYING_BYTES)} OR EXISTS (SELECT 1 FROM {S}.process p WHERE p.id > 0) THEN RETURN; END IF;
  LOCK TABLE {S}.ready IN ACCESS EXCLUSIVE MODE;
  IF NOT EXISTS (SELECT 1 FROM {S}.ready) THEN TRUNCATE {S}.ready; END IF;
END $$;

-- True when the page is given up.
CREATE FUNCTION {S}.accuse(p_id bigint, p_alone boolean) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_runs int; v_delayed boolean; v_state int; r record; o record;
BEGIN
  SELECT g.host, g.rank INTO r FROM {S}.request g WHERE g.id = p_id;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO {S}.death AS d (id, runs) VALUES (p_id, 1)
    ON CONFLICT (id) DO UPDATE SET runs = d.runs + CASE WHEN p_alone OR d.runs < ${String(requestLaws.SUSPECTED_AFTER_RUNS)} THEN 1 ELSE 0 END RETURNING d.runs INTO v_runs;
  IF v_runs < ${String(requestLaws.POISON_AFTER_RUNS)} THEN RETURN false; END IF;
  v_delayed := EXISTS (SELECT 1 FROM {S}.delayed d WHERE d.id = p_id);
  v_state := coalesce((SELECT a.state FROM {S}.attempt a WHERE a.id = p_id), 0);
  IF v_state > 0 AND NOT v_delayed THEN RETURN false; END IF;
  SELECT p_id AS id, r.host, r.rank, 3 AS kind, 0 AS counted, NULL::bigint AS at, {S}.word_id('reason', 'poison') AS reason, 'url'::text AS blame,
    NULL::text AS target, NULL::int AS error, NULL::bigint AS fetched_at, NULL::int AS status, NULL::int AS duration, NULL::bigint AS wire, 0 AS skipped,
    NULL::text AS etag, NULL::text AS last_modified, NULL::text AS body_hash, 0 AS missing, NULL::bigint AS since, NULL::bigint AS page_at INTO o;
  PERFORM {S}.settle(0, (SELECT c.run FROM {S}.crawl c), o);
  RETURN true;
END $$;
`

const SEES = `
-- Ids of words, made where they are new. p_table: handler or reason.
CREATE FUNCTION {S}.word_id(p_table text, p_word text) RETURNS int LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_id int;
BEGIN
  IF p_table = 'handler' THEN
    INSERT INTO {S}.handler (word) SELECT p_word WHERE NOT EXISTS (SELECT 1 FROM {S}.handler h WHERE h.word = p_word) ON CONFLICT DO NOTHING;
    SELECT h.id INTO v_id FROM {S}.handler h WHERE h.word = p_word;
  ELSE
    INSERT INTO {S}.reason (word) SELECT p_word WHERE NOT EXISTS (SELECT 1 FROM {S}.reason h WHERE h.word = p_word) ON CONFLICT DO NOTHING;
    SELECT h.id INTO v_id FROM {S}.reason h WHERE h.word = p_word;
  END IF;
  RETURN v_id;
END $$;

CREATE FUNCTION {S}.word_ids(p_table text, p_words text[]) RETURNS int[] LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  RETURN (SELECT array_agg({S}.word_id(p_table, u.word) ORDER BY u.n) FROM (SELECT * FROM unnest(p_words) WITH ORDINALITY w (word, n) ORDER BY w.word) u);
END $$;

CREATE FUNCTION {S}.say_idle(p_process int, p_now bigint) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE {S}.process p SET idle_at = greatest(p.idle_at, p_now), changes = p.changes + 1 WHERE p.id = p_process;
END $$;

-- [[id, changes, idle since, memory number, hosts held that have something to do]], and how many free hosts are due. Hosts are counted while somebody is idle.
CREATE FUNCTION {S}.standing(p_now bigint) RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_idle boolean;
BEGIN
  v_idle := EXISTS (SELECT 1 FROM {S}.process p WHERE p.id > 0 AND p.idle_at > 0 AND p.idle_at BETWEEN p_now - ${String(IDLE_MS)} AND p_now + ${String(IDLE_MS)});
  RETURN json_build_array((SELECT json_agg(json_build_array(p.id, p.changes, p.idle_at, p.memory_no, CASE WHEN v_idle THEN
      (SELECT count(*) FROM {S}.host h WHERE h.owner = p.id AND h.ready + h.delayed > 0 AND h.retired_for IS NULL) ELSE 0 END) ORDER BY p.id) FROM {S}.process p),
    CASE WHEN v_idle THEN (SELECT count(*) FROM (SELECT 1 FROM {S}.host h WHERE h.probation AND h.due_at <= p_now LIMIT 10000) x)
      + (SELECT count(*) FROM (SELECT 1 FROM {S}.host h WHERE NOT h.probation AND h.due_at <= p_now LIMIT 10000) x) ELSE 0 END);
END $$;

CREATE FUNCTION {S}.note(p_process int, p_token uuid, p_no bigint, p_part text[], p_json text[], p_inherited int[], p_sync text) RETURNS boolean
LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  PERFORM {S}.put_crawl_memory(p_process, p_part, p_json, p_inherited);
  RETURN true;
END $$;

-- Orders of operators, one transaction after the other: a moment that is committed after a later one would be overlooked.
CREATE FUNCTION {S}.give_orders(p_process int, p_token uuid, p_no bigint, p_json text[], p_now bigint, p_drop bigint[], p_sync text) RETURNS boolean
LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  LOCK TABLE {S}.orders IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO {S}.orders (at, json) SELECT greatest(p_now, (SELECT coalesce(max(o.at), 0) + 1 FROM {S}.orders o)) + u.n - 1, u.json
    FROM unnest(p_json) WITH ORDINALITY u (json, n);
  DELETE FROM {S}.orders o WHERE o.at = ANY (p_drop);
  UPDATE {S}.process p SET changes = p.changes + 1 WHERE p.id = p_process;
  RETURN true;
END $$;

-- False where it came late, and where the process was buried.
CREATE FUNCTION {S}.put_in_progress(p_process int, p_token uuid, p_no bigint, p_ids bigint[], p_sync text) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  IF {S}.in_lane(p_process, p_token, 'progress', p_no) IS NOT TRUE THEN RETURN false; END IF;
  DELETE FROM {S}.in_progress i WHERE i.process = p_process AND NOT i.request = ANY (p_ids);
  INSERT INTO {S}.in_progress (process, request) SELECT p_process, u.id FROM unnest(p_ids) u (id) ON CONFLICT DO NOTHING;
  RETURN true;
END $$;
`

/** Functions for processes. */
export const PROCESS_FUNCTIONS: string = `${ORDER}${LIVES}${SEES}`
