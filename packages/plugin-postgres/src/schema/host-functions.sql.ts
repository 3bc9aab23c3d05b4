// SQL for hosts: when a free one is due, which are leased, given back, given up; and what a dead process held.
//
// `refresh_hosts` is the one place that works out `due_at` and `rank` from the tables. Commits that only add to `ready` do it by difference
// (request-functions.sql.ts).
// A lease takes hosts in turns, of the best priority and of those due longest, as plugin-sqlite does: two orders, an index each. It waits for nobody: a host
// that another transaction has locked is left for the next lease (SKIP LOCKED).
// Whoever changes a host or what waits under it has its row locked, in the order of ids; who signs a process in or out has that process's row before.
// `enable_seqscan` and friends are off per function: a plan that was made when a table was empty would be kept while it grows. Those that only other functions
// call have the settings of their caller: setting them costs 10 µs a call. Plans are made once (`plan_cache_mode`), whatever the sizes of the arrays are.
import { NEVER } from '@avocet/store-sql'
import { BY_INDEX_PLANNED_ONCE as PLANS } from './plans.ts'

const REFRESH = `
CREATE FUNCTION {S}.refresh_hosts(p_ids int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE {S}.host h SET due_at = y.due_at, rank = CASE WHEN y.due_at IS NULL THEN h.rank ELSE coalesce(
    CASE WHEN h.ready > 0 THEN (SELECT r.rank FROM {S}.ready r WHERE r.host = h.id ORDER BY r.rank LIMIT 1)
    ELSE (SELECT d.rank FROM {S}.delayed d WHERE d.host = h.id ORDER BY d.not_before, d.rank LIMIT 1) END, 0) END
  FROM unnest(p_ids) u (id), LATERAL (SELECT g.ready, g.delayed, g.owner,
      CASE WHEN g.retired_for IS NULL THEN g.ready_at ELSE greatest(g.ready_at, coalesce(g.probe_at, ${String(NEVER)})) END AS ready_at
      FROM {S}.host g WHERE g.id = u.id) x,
    LATERAL (SELECT CASE WHEN x.owner IS NOT NULL OR x.ready_at >= ${String(NEVER)} THEN NULL WHEN x.ready > 0 THEN x.ready_at
      WHEN x.delayed <= 0 THEN NULL ELSE greatest(x.ready_at, (SELECT d.not_before FROM {S}.delayed d WHERE d.host = u.id ORDER BY d.not_before LIMIT 1))
      END AS due_at) y
  WHERE h.id = u.id;
END $$;

CREATE FUNCTION {S}.lock_hosts(p_ids int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM (SELECT h.id FROM {S}.host h WHERE h.id = ANY (p_ids) ORDER BY h.id FOR NO KEY UPDATE) x;
END $$;
`

const CHOOSE = `
CREATE FUNCTION {S}.best_hosts(p_probation boolean, p_now bigint, p_most int, OUT ids int[], OUT ranks bigint[], OUT dues bigint[])
LANGUAGE plpgsql AS $$
DECLARE v_rank bigint; v_more int[]; v_ranks bigint[]; v_dues bigint[];
BEGIN
  ids := '{}'; ranks := '{}'; dues := '{}';
  FOR n IN 1..16 LOOP
    EXIT WHEN cardinality(ids) >= p_most;
    SELECT h.rank INTO v_rank FROM {S}.host h WHERE h.probation = p_probation AND h.due_at IS NOT NULL AND (v_rank IS NULL OR h.rank > v_rank)
      ORDER BY h.rank LIMIT 1;
    EXIT WHEN NOT FOUND;
    SELECT array_agg(x.id), array_agg(x.rank), array_agg(x.due_at) INTO v_more, v_ranks, v_dues FROM (
      SELECT h.id, h.rank, h.due_at FROM {S}.host h WHERE h.probation = p_probation AND h.rank = v_rank AND h.due_at <= p_now
      ORDER BY h.due_at, h.id LIMIT p_most - cardinality(ids)) x;
    ids := ids || coalesce(v_more, '{}'); ranks := ranks || coalesce(v_ranks, '{}'); dues := dues || coalesce(v_dues, '{}');
  END LOOP;
END $$;

CREATE FUNCTION {S}.choose_hosts(p_now bigint, p_hosts int, p_on_probation int, p_taken bigint) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
  v_a int[]; v_ap boolean[]; v_b int[]; v_bp boolean[]; v_chosen int[] := '{}';
  v_at int[] := ARRAY[1, 1]; v_list int; v_found int; v_places int := p_on_probation; v_most int := least(p_hosts, p_on_probation);
BEGIN
  SELECT array_agg(x.id ORDER BY x.rank, x.due, x.id), array_agg(x.probation ORDER BY x.rank, x.due, x.id) INTO v_a, v_ap FROM (
    SELECT u.id, u.rank, u.due, false AS probation FROM {S}.best_hosts(false, p_now, p_hosts) b, unnest(b.ids, b.ranks, b.dues) u (id, rank, due)
    UNION ALL SELECT u.id, u.rank, u.due, true FROM {S}.best_hosts(true, p_now, v_most) b, unnest(b.ids, b.ranks, b.dues) u (id, rank, due)) x;
  IF v_a IS NULL THEN v_a := '{}'; END IF;
  SELECT array_agg(x.id ORDER BY x.due_at, x.id), array_agg(x.probation ORDER BY x.due_at, x.id) INTO v_b, v_bp FROM (
    (SELECT h.id, h.due_at, false AS probation FROM {S}.host h WHERE NOT h.probation AND h.due_at <= p_now ORDER BY h.due_at, h.id LIMIT p_hosts)
    UNION ALL (SELECT h.id, h.due_at, true FROM {S}.host h WHERE h.probation AND h.due_at <= p_now ORDER BY h.due_at, h.id LIMIT v_most)) x;
  IF v_b IS NULL THEN v_b := '{}'; END IF;
  WHILE cardinality(v_chosen) < p_hosts LOOP
    v_found := NULL;
    v_list := (p_taken + cardinality(v_chosen)) % 2;
    FOR n IN 0..1 LOOP
      IF (v_list + n) % 2 = 0 THEN
        WHILE v_found IS NULL AND v_at[1] <= cardinality(v_a) LOOP
          IF NOT v_a[v_at[1]] = ANY (v_chosen) AND (NOT v_ap[v_at[1]] OR v_places > 0) THEN
            v_found := v_a[v_at[1]]; IF v_ap[v_at[1]] THEN v_places := v_places - 1; END IF;
          END IF;
          v_at[1] := v_at[1] + 1;
        END LOOP;
      ELSE
        WHILE v_found IS NULL AND v_at[2] <= cardinality(v_b) LOOP
          IF NOT v_b[v_at[2]] = ANY (v_chosen) AND (NOT v_bp[v_at[2]] OR v_places > 0) THEN
            v_found := v_b[v_at[2]]; IF v_bp[v_at[2]] THEN v_places := v_places - 1; END IF;
          END IF;
          v_at[2] := v_at[2] + 1;
        END LOOP;
      END IF;
      EXIT WHEN v_found IS NOT NULL;
    END LOOP;
    EXIT WHEN v_found IS NULL;
    v_chosen := v_chosen || v_found;
  END LOOP;
  RETURN v_chosen;
END $$;
`

const ENTER = `
-- What a new holder of these hosts gets, in the order of p_ids: [id, key, origin, epoch, taken over, retired for, waiting, next delayed at, memory texts].
CREATE FUNCTION {S}.enter_hosts(p_process int, p_ids int[], p_now bigint) RETURNS json LANGUAGE plpgsql AS $$
DECLARE v_json json; v_abandoned int[];
BEGIN
  SELECT array_agg(h.id) INTO v_abandoned FROM {S}.host h WHERE h.id = ANY (p_ids) AND h.abandoned;
  UPDATE {S}.host h SET owner = p_process, epoch = h.epoch + 1, abandoned = false, due_at = NULL WHERE h.id = ANY (p_ids);
  SELECT json_agg(json_build_array(h.id, h.key, h.origin, h.epoch, h.id = ANY (coalesce(v_abandoned, '{}')), h.retired_for, h.ready + h.delayed,
    CASE WHEN h.delayed > 0 THEN (SELECT d.not_before FROM {S}.delayed d WHERE d.host = h.id AND d.not_before > p_now ORDER BY d.not_before LIMIT 1) END,
    (SELECT json_agg(json_build_array(m.part, m.json)) FROM {S}.host_memory m WHERE m.host = h.id)) ORDER BY u.n) INTO v_json
  FROM unnest(p_ids) WITH ORDINALITY u (id, n), LATERAL (SELECT * FROM {S}.host g WHERE g.id = u.id) h;
  RETURN v_json;
END $$;

-- One that comes when the process has given up waiting for it, and has said so (keep_only), leases nothing: NULL, which nobody hears.
CREATE FUNCTION {S}.lease(p_process int, p_token uuid, p_no bigint, p_now bigint, p_hosts int, p_each int, p_on_probation int, p_taken bigint, p_sync text)
RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_chosen int[]; v_got int[]; v_next bigint; v_left boolean := false;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token AND p.lease_no <= p_no FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  v_chosen := CASE WHEN p_hosts > 0 THEN {S}.choose_hosts(p_now, p_hosts, p_on_probation, p_taken) ELSE '{}' END;
  IF cardinality(v_chosen) > 0 THEN
    SELECT array_agg(x.id ORDER BY array_position(v_chosen, x.id)) INTO v_got FROM (
      SELECT h.id FROM {S}.host h WHERE h.id = ANY (v_chosen) AND h.due_at <= p_now ORDER BY h.id FOR NO KEY UPDATE SKIP LOCKED) x;
  END IF;
  IF v_got IS NULL THEN v_got := '{}'; END IF;
  RETURN json_build_object(
    'hosts', CASE WHEN cardinality(v_got) > 0 THEN {S}.enter_hosts(p_process, v_got, p_now) END,
    'requests', CASE WHEN cardinality(v_got) > 0 THEN {S}.due_requests(v_got, p_each, p_now, '{}') END,
    'missed', cardinality(v_chosen) > cardinality(v_got), 'rest', {S}.rest_of_lease(p_process, p_now));
END $$;

-- [earliest moment after p_now at which a free host is due, whether one on probation is due now, hosts with waiting requests that others hold, up to 100].
CREATE FUNCTION {S}.rest_of_lease(p_process int, p_now bigint) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  RETURN json_build_array(
    least((SELECT h.due_at FROM {S}.host h WHERE NOT h.probation AND h.due_at > p_now ORDER BY h.due_at LIMIT 1),
      (SELECT h.due_at FROM {S}.host h WHERE h.probation AND h.due_at > p_now ORDER BY h.due_at LIMIT 1)),
    EXISTS (SELECT 1 FROM {S}.host h WHERE h.probation AND h.due_at <= p_now),
    (SELECT count(*) FROM (SELECT 1 FROM {S}.process p, LATERAL (SELECT 1 FROM {S}.host h WHERE h.owner = p.id AND h.ready + h.delayed > 0 LIMIT 100) h
      WHERE p.id > 0 AND p.id <> p_process LIMIT 100) x));
END $$;
`

const LEAVE = `
CREATE FUNCTION {S}.keep_memory(p_host int[], p_part text[], p_json text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_rows int;
BEGIN
  -- Nearly all are there. Nobody else writes those of a host that is held.
  UPDATE {S}.host_memory m SET json = u.json FROM unnest(p_host, p_part, p_json) u (host, part, json) WHERE m.host = u.host AND m.part = u.part;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  IF v_rows = cardinality(p_host) THEN RETURN; END IF;
  INSERT INTO {S}.host_memory (host, part, json) SELECT * FROM unnest(p_host, p_part, p_json) u (host, part, json) ON CONFLICT DO NOTHING;
END $$;

-- Hosts that are not held under this epoch any more are left alone, with their memory.
CREATE FUNCTION {S}.release(p_process int, p_token uuid, p_host int[], p_epoch int[], p_ready_at bigint[], p_probation boolean[],
  m_host int[], m_part text[], m_json text[], p_sync text) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_held int[];
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM {S}.lock_hosts(p_host);
  WITH held AS (UPDATE {S}.host h SET owner = NULL, ready_at = u.ready_at, probation = u.probation
    FROM unnest(p_host, p_epoch, p_ready_at, p_probation) u (id, epoch, ready_at, probation)
    WHERE h.id = u.id AND h.owner = p_process AND h.epoch = u.epoch RETURNING h.id)
  SELECT coalesce(array_agg(held.id), '{}') INTO v_held FROM held;
  PERFORM {S}.refresh_hosts(v_held);
  PERFORM {S}.keep_memory(array_agg(u.host), array_agg(u.part), array_agg(u.json)) FROM unnest(m_host, m_part, m_json) u (host, part, json)
    WHERE u.host = ANY (v_held) HAVING count(*) > 0;
  UPDATE {S}.process p SET changes = p.changes + 1 WHERE p.id = p_process;
  RETURN true;
END $$;

-- Hosts of this process that it does not know of are free: the answer that gave them to it was lost. No call with a lower number does anything from here on.
CREATE FUNCTION {S}.keep_only(p_process int, p_token uuid, p_no bigint, p_host int[], p_sync text) RETURNS void LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_hosts int[];
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  UPDATE {S}.process p SET lease_no = p_no WHERE p.id = p_process AND p.token = p_token AND p.lease_no < p_no;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT coalesce(array_agg(h.id), '{}') INTO v_hosts FROM {S}.host h WHERE h.owner = p_process AND NOT h.id = ANY (p_host);
  PERFORM {S}.lock_hosts(v_hosts);
  UPDATE {S}.host h SET owner = NULL WHERE h.id = ANY (v_hosts);
  PERFORM {S}.refresh_hosts(v_hosts);
END $$;

-- How many hosts this process holds, and in the order of p_host: [held, waiting requests, handed out or not].
CREATE FUNCTION {S}.renew(p_process int, p_token uuid, p_host int[], p_epoch int[]) RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
BEGIN
  RETURN json_build_array((SELECT count(*) FROM {S}.host h WHERE h.owner = p_process),
    (SELECT json_agg(json_build_array(h.id IS NOT NULL, coalesce(h.waiting, 0)) ORDER BY u.n)
      FROM unnest(p_host, p_epoch) WITH ORDINALITY u (id, epoch, n) LEFT JOIN LATERAL (SELECT g.id, g.ready + g.delayed AS waiting FROM {S}.host g
        WHERE g.id = u.id AND g.epoch = u.epoch AND g.owner = p_process LIMIT 1) h ON true));
END $$;

-- A reason gives the host up, NULL revives it. p_epoch: only while this process holds it under that epoch.
CREATE FUNCTION {S}.retire(p_process int, p_token uuid, p_no bigint, p_key text, p_reason text, p_probe_at bigint, p_epoch int, p_sync text) RETURNS boolean
LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_id int;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  SELECT h.id INTO v_id FROM {S}.host h WHERE h.key = p_key AND (p_epoch IS NULL OR (h.owner = p_process AND h.epoch = p_epoch)) FOR NO KEY UPDATE;
  IF v_id IS NULL THEN RETURN true; END IF;
  UPDATE {S}.host h SET retired_for = p_reason, probe_at = p_probe_at, ready_at = CASE WHEN p_reason IS NULL AND h.owner IS NULL THEN 0 ELSE h.ready_at END
    WHERE h.id = v_id;
  PERFORM {S}.refresh_hosts(ARRAY[v_id]);
  UPDATE {S}.process p SET changes = p.changes + 1 WHERE p.id = p_process;
  RETURN true;
END $$;

CREATE FUNCTION {S}.probe_retired(p_process int, p_token uuid, p_no bigint, p_from bigint, p_now bigint, p_sync text) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_ids int[];
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  SELECT array_agg(x.id) INTO v_ids FROM (SELECT h.id FROM {S}.host h WHERE h.retired_for IS NOT NULL
    AND coalesce(h.probe_at, ${String(NEVER)}) >= p_from ORDER BY h.id FOR NO KEY UPDATE) x;
  IF v_ids IS NULL THEN RETURN true; END IF;
  UPDATE {S}.host h SET probe_at = p_now WHERE h.id = ANY (v_ids);
  PERFORM {S}.refresh_hosts(v_ids);
  UPDATE {S}.process p SET changes = p.changes + 1 WHERE p.id = p_process;
  RETURN true;
END $$;
`

/** Functions for hosts. */
export const HOST_FUNCTIONS: string = `${REFRESH}${CHOOSE}${ENTER}${LEAVE}`
