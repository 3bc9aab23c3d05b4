// SQL for commits: a group of units is one call, and one transaction.
//
// A page that was never tried and is done leaves `ready` and gets its row in `attempt`, all pages of a group in two statements. All other outcomes are rare:
// `settle` takes them one by one, and holds the laws of core (`requestLaws`).
// Locks in one order, each stage sorted: this process, new hosts by key, hosts by id, requests by fingerprint.
// Which links are new is asked before hosts are locked, so that those of the others are not. Another process may find the same link meanwhile: then the call
// fails (23505), and is made again with `p_lock_first`: hosts of all links are locked, and then it is asked.
// The number of the group stands in the row of the process together with what it answered: one that is repeated after a lost reply gets the same answer.
// A host that is not held any more fails the whole call (AV001), and the caller leaves out its turns and calls again: nothing was written.
// Items of pages that were tried before are asked for the number of their visit, before the outcome counts it.
import { BY_INDEX_PLANNED_ONCE as PLANS } from './plans.ts'

// Long texts of JSON as one parameter of a call, and SQL that takes them apart.
//
// In an array as PostgreSQL reads it, `{"…"}`, each quote is escaped and read by itself: some 4 % of what a page with 1.5 KB of memory costs the server.

/** What stands between two texts. Raw, it is in no JSON: there it is an escape. */
const BETWEEN = '\x1F'

/** Texts of JSON one after the other, none of them empty. */
export function joinedText(values: readonly string[]): string {
  const text = values.join(BETWEEN)
  const isPlain = values.every((value) => !value.includes(BETWEEN))
  return isPlain ? text : values.map((value) => value.replaceAll(BETWEEN, String.raw`\u001f`)).join(BETWEEN)
}

/** SQL for the list of texts in the parameter `name`, which `joinedText` has made. */
function textsIn(name: string): string {
  return `string_to_array(${name}, E'\\x1f')`
}

const YIELDS = `
CREATE FUNCTION {S}.visit_of(p_id bigint) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce((SELECT v.visits FROM {S}.visited v WHERE v.id = p_id), 0);
END $$;

-- Items exactly once by their places; returns how many were new. A visit of -1 is asked for.
CREATE FUNCTION {S}.put_items(p_request bigint[], p_visit int[], p_ordinal int[], p_json text[], p_records text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v_group bigint; v_items int := 0; v_size int := coalesce(cardinality(p_request), 0); v_all int := coalesce(cardinality(p_request), 0);
BEGIN
  v_group := nextval('{S}.item_group_id_seq');
  IF v_size > 0 THEN
    INSERT INTO {S}.item (grp, request, n, visit, ordinal, json) SELECT v_group, u.request, u.n,
      CASE WHEN u.visit < 0 THEN {S}.visit_of(u.request) ELSE u.visit END, u.ordinal, u.json
      FROM unnest(p_request, p_visit, p_ordinal, p_json) WITH ORDINALITY u (request, visit, ordinal, json, n) ORDER BY u.n ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS v_items = ROW_COUNT;
  END IF;
  IF p_records IS NOT NULL THEN
    INSERT INTO {S}.record (grp, request, n, visit, ordinal, json) SELECT v_group, u.request, v_size + u.n, {S}.visit_of(u.request), u.ordinal, u.json
      FROM json_to_recordset(p_records::json) u (request bigint, n int, ordinal int, json text) ORDER BY u.n ON CONFLICT DO NOTHING;
    v_all := v_all + (SELECT max(u.n) FROM json_to_recordset(p_records::json) u (n int));
  END IF;
  INSERT INTO {S}.item_group (id, size, items) VALUES (v_group, v_all, v_items);
  RETURN v_items;
END $$;

-- What the schema refused of a page, once its items are there: an item keeps its place, and takes that of a reject. A visit
-- that yields anything takes the place of those before it. Returns how many more there are.
CREATE FUNCTION {S}.put_rejects(p_request bigint, p_visit int, p_rejects json) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v_before int; v_after int;
BEGIN
  SELECT count(*) INTO v_before FROM {S}.reject j WHERE j.request = p_request;
  DELETE FROM {S}.reject j WHERE j.request = p_request AND j.source = 'schema' AND (j.visit < p_visit
    OR EXISTS (SELECT 1 FROM {S}.item i WHERE i.request = j.request AND i.visit = j.visit AND i.ordinal = j.ordinal));
  INSERT INTO {S}.reject (source, request, visit, ordinal, json, reason, kind, at)
    SELECT 'schema', p_request, p_visit, u.ordinal, u.json, u.reason, u.kind, u.at
    FROM json_to_recordset(p_rejects) u (ordinal int, json text, reason text, kind text, at bigint)
    WHERE NOT EXISTS (SELECT 1 FROM {S}.item i WHERE i.request = p_request AND i.visit = p_visit AND i.ordinal = u.ordinal)
    ON CONFLICT (request, visit, ordinal, source) DO UPDATE SET json = excluded.json, reason = excluded.reason, kind = excluded.kind, at = excluded.at;
  SELECT count(*) INTO v_after FROM {S}.reject j WHERE j.request = p_request;
  RETURN v_after - v_before;
END $$;

CREATE FUNCTION {S}.number_items(p_most int) RETURNS boolean LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_base bigint; v_groups bigint[]; v_sizes int[];
BEGIN
  IF NOT EXISTS (SELECT 1 FROM {S}.item_group g WHERE g.base IS NULL ORDER BY g.id LIMIT 1) THEN RETURN false; END IF;
  -- Another server may have given the next numbers to items that are lost here: once this one is accepted, numbers are behind those.
  IF NOT EXISTS (SELECT 1 FROM {S}.crawl c WHERE c.timeline = {S}.timeline()) THEN RETURN false; END IF;
  -- What a crash of the server takes back nobody has seen in a mark: the record of a sink is written later, and WAL is in order.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT n.next_base INTO v_base FROM {S}.numbering n FOR UPDATE;
  SELECT array_agg(x.id ORDER BY x.id), array_agg(x.size ORDER BY x.id) INTO v_groups, v_sizes FROM (
    SELECT g.id, g.size FROM {S}.item_group g WHERE g.base IS NULL ORDER BY g.id LIMIT p_most) x;
  IF v_groups IS NULL THEN RETURN false; END IF;
  UPDATE {S}.item_group g SET base = v_base + u.before FROM (
    SELECT y.id, sum(y.size) OVER (ORDER BY y.n) - y.size AS before FROM unnest(v_groups, v_sizes) WITH ORDINALITY y (id, size, n)) u WHERE g.id = u.id;
  UPDATE {S}.numbering SET next_base = v_base + (SELECT sum(s) FROM unnest(v_sizes) s);
  RETURN cardinality(v_groups) >= p_most;
END $$;

-- Bytes on disk of tables with their indexes; NULL: of all.
CREATE FUNCTION {S}.bytes_of(p_tables text[]) RETURNS bigint LANGUAGE sql AS $$
  SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = $q$\{S}$q$::regnamespace AND (p_tables IS NULL OR c.relname = ANY (p_tables))
$$;

-- Removes old items that a later visit of their page has replaced, and groups of which nothing is left. The lock keeps other processes from doing the same.
CREATE FUNCTION {S}.prune(p_now bigint, p_items_ms bigint, p_up_to bigint, p_after bigint) RETURNS json LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_newest bigint; v_old bigint; v_end bigint; v_first bigint; v_last bigint; v_seen int; v_gone int;
BEGIN
  PERFORM {S}.number_items(10000);
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT n.next_base INTO v_newest FROM {S}.numbering n FOR UPDATE;
  DELETE FROM {S}.item_age a WHERE a.at > p_now; -- Of a clock that was ahead.
  INSERT INTO {S}.item_age (seq, at, bytes, items) SELECT v_newest, p_now, {S}.bytes_of(NULL), (SELECT sum(p.items) FROM {S}.process p)
    WHERE v_newest > 0 AND NOT EXISTS (SELECT 1 FROM {S}.item_age a WHERE a.at > p_now - p_items_ms / 100) ON CONFLICT DO NOTHING;
  SELECT coalesce(max(a.seq), 0) INTO v_old FROM {S}.item_age a WHERE a.at <= p_now - p_items_ms;
  DELETE FROM {S}.item_age a WHERE a.seq < v_old;
  v_end := least(v_old, p_up_to);
  IF v_end <= p_after THEN RETURN json_build_object('afterSeq', p_after, 'oldSeq', v_old); END IF;
  SELECT coalesce(max(g.base), 0) INTO v_first FROM {S}.item_group g WHERE g.base <= p_after;
  SELECT max(x.seq), count(*) INTO v_last, v_seen FROM (SELECT g.base + i.n AS seq
    FROM {S}.item_group g JOIN LATERAL (SELECT y.n FROM {S}.item y WHERE y.grp = g.id ORDER BY y.n) i ON true
    WHERE g.base >= v_first AND g.base < v_end AND g.base + i.n > p_after AND g.base + i.n <= v_end ORDER BY g.base, i.n LIMIT 256) x;
  IF v_seen < 256 THEN v_last := v_end; END IF;
  WITH gone AS (DELETE FROM {S}.item i USING {S}.item_group g WHERE i.grp = g.id AND g.base >= v_first AND g.base < v_last
      AND g.base + i.n > p_after AND g.base + i.n <= v_last
      AND EXISTS (SELECT 1 FROM {S}.item z WHERE z.request = i.request AND z.visit > i.visit)
      AND NOT EXISTS (SELECT 1 FROM {S}.reject j WHERE j.request = i.request AND j.visit = i.visit AND j.ordinal = i.ordinal AND j.json IS NULL)
      RETURNING i.grp),
    of_group AS (SELECT grp, count(*)::int AS items FROM gone GROUP BY grp),
    counted AS (UPDATE {S}.item_group g SET items = g.items - o.items FROM of_group o WHERE g.id = o.grp)
  SELECT count(*) INTO v_gone FROM gone;
  DELETE FROM {S}.item_group g WHERE g.base >= v_first AND g.base + g.size <= v_last AND g.base < v_last AND g.items = 0 AND g.changes = 0
    AND NOT EXISTS (SELECT 1 FROM {S}.record r WHERE r.grp = g.id) AND NOT EXISTS (SELECT 1 FROM {S}.change c WHERE c.grp = g.id);
  IF v_gone > 0 THEN UPDATE {S}.crawl SET items_gone = items_gone + v_gone; END IF;
  RETURN json_build_object('afterSeq', v_last, 'oldSeq', v_old);
END $$;

-- Removes old changes that another one of their item followed, and groups of which nothing is left. Changes of one host have the order of their groups' ids.
CREATE FUNCTION {S}.prune_changes(p_before bigint, p_up_to bigint, p_after bigint) RETURNS bigint LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_first bigint; v_last bigint; v_groups bigint[];
BEGIN
  PERFORM {S}.number_items(10000);
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM 1 FROM {S}.numbering n FOR UPDATE;
  SELECT coalesce(max(g.base), 0) INTO v_first FROM {S}.item_group g WHERE g.base <= p_after;
  SELECT max(x.seq) INTO v_last FROM (SELECT g.base + c.n AS seq, c.at
    FROM {S}.item_group g JOIN LATERAL (SELECT y.n, y.at FROM {S}.change y WHERE y.grp = g.id ORDER BY y.n) c ON true
    WHERE g.changes > 0 AND g.base >= v_first AND g.base < p_up_to AND g.base + c.n > p_after AND g.base + c.n <= p_up_to ORDER BY g.base, c.n LIMIT 256) x WHERE x.at < p_before;
  IF v_last IS NULL THEN RETURN p_after; END IF;
  WITH gone AS (DELETE FROM {S}.change c USING {S}.item_group g WHERE c.grp = g.id AND g.changes > 0 AND g.base >= v_first AND g.base < v_last
      AND g.base + c.n > p_after AND g.base + c.n <= v_last AND c.at < p_before
      AND EXISTS (SELECT 1 FROM {S}.change z WHERE z.key = c.key AND z.host = c.host AND (z.grp, z.n) > (c.grp, c.n))
      RETURNING c.grp),
    counted AS (UPDATE {S}.item_group g SET changes = g.changes - o.changes
      FROM (SELECT grp, count(*)::int AS changes FROM gone GROUP BY grp) o WHERE g.id = o.grp RETURNING g.id)
  SELECT array_agg(c.id) INTO v_groups FROM counted c;
  DELETE FROM {S}.item_group g WHERE g.id = ANY (v_groups) AND g.items = 0 AND g.changes = 0 AND NOT EXISTS (SELECT 1 FROM {S}.record r WHERE r.grp = g.id);
  RETURN v_last;
END $$;
`

const COMMIT = `
CREATE FUNCTION {S}.put_crawl_memory(p_process int, p_part text[], p_json text[], p_inherited int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_no bigint;
BEGIN
  UPDATE {S}.process p SET memory_no = p.memory_no + 1, changes = p.changes + 1 WHERE p.id = p_process RETURNING p.memory_no INTO v_no;
  INSERT INTO {S}.crawl_memory (no, process, part, json) SELECT v_no, p_process, u.part, u.json FROM unnest(p_part, p_json) u (part, json)
    ON CONFLICT (process, part) DO UPDATE SET json = excluded.json, no = excluded.no;
  -- A process has the id of one of the crawl before where the store is another one by now.
  DELETE FROM {S}.crawl_memory m USING unnest(p_inherited) g (process), unnest(p_part) u (part) WHERE m.process = g.process AND m.part = u.part
    AND NOT EXISTS (SELECT 1 FROM {S}.process p WHERE p.id = m.process);
END $$;

CREATE FUNCTION {S}.commit(p_process int, p_token uuid, p_group bigint, p_last bigint, p_run int, p_sync text, p_lock_first boolean, k_key text[], k_origin text[], f_host int[], f_epoch int[],
  l_host int[], l_rank bigint[], l_fp uuid[], l_path text[], l_depth int[], l_handler int[], l_parent bigint[], l_anchor text[], l_not_before bigint[],
  l_extra text, l_ask text, o_host int[], o_rank bigint[], o_id bigint[], o_fetched_at bigint[], o_status int[], o_duration int[], o_wire bigint[],
  s_outcome text, i_request bigint[], i_visit int[], i_ordinal int[], i_json text, i_record text, i_reject text, i_watch text, m_host int[], m_part text[], m_json text,
  c_part text[], c_json text[], c_inherited int[]) RETURNS text LANGUAGE plpgsql ${PLANS} AS $$
DECLARE
  v_group bigint; v_answer text; v_made int[] := '{}'; v_origins text[] := '{}'; v_fresh int[]; v_asked_at int[]; v_fenced int[]; v_links record; v_items int := 0;
  v_rejects int := 0; v_asked bigint[] := '{}'; v_watched int[] := '{}'; v_each record;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  SELECT p.group_no, p.answer INTO v_group, v_answer FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  -- Again, or so late that nobody waits for it: a later group was made when this one was answered.
  IF v_group >= p_group THEN RETURN v_answer; END IF;
  -- What was answered is not there: as if this process was.
  IF v_group < p_last THEN RETURN NULL; END IF;
  IF cardinality(k_key) > 0 THEN
    v_made := {S}.obtain_hosts(k_key, k_origin);
    v_origins := {S}.origins_of(v_made);
  END IF;
  v_fresh := {S}.fresh_links(l_fp, p_lock_first);
  v_asked_at := CASE WHEN l_ask IS NULL THEN '{}' ELSE {S}.asked_hosts(l_ask) END;
  -- Sorted, so that they are locked in the order of ids. Who is no holder is told by the place of the host among those that must be held.
  SELECT array_agg(array_position(f_host, x.id)) FILTER (WHERE x.wanted IS NOT NULL AND (x.owner IS DISTINCT FROM p_process OR x.epoch <> x.wanted))
    INTO v_fenced FROM (
    SELECT h.id, h.owner, h.epoch, u.epoch AS wanted FROM (SELECT w.host, max(w.epoch) AS epoch
      FROM unnest(f_host || ARRAY(SELECT CASE WHEN l_host[n] < 0 THEN v_made[-l_host[n]] ELSE l_host[n] END FROM unnest(v_fresh) n) || v_asked_at, f_epoch) w (host, epoch)
      GROUP BY w.host ORDER BY w.host) u, {S}.host h WHERE h.id = u.host FOR NO KEY UPDATE OF h) x;
  IF v_fenced IS NOT NULL THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'AV001', DETAIL = array_to_json(v_fenced)::text; END IF;
  IF p_lock_first THEN v_fresh := {S}.fresh_links(l_fp, false); END IF;
  IF l_ask IS NOT NULL THEN v_asked := {S}.ask_again(p_process, p_run, l_ask); END IF;
  v_links := {S}.put_links(v_fresh, v_made, l_host, l_rank, l_fp, l_path, l_depth, l_handler, l_parent, l_anchor, l_not_before, l_extra);
  IF i_watch IS NULL AND s_outcome IS NOT NULL AND EXISTS (SELECT 1 FROM {S}.reject j WHERE j.host IS NOT NULL) THEN
    SELECT json_agg(json_build_object('id', o.id, 'replaces', true))::text INTO i_watch
      FROM json_to_recordset(s_outcome::json) o (id bigint, kind int, page_at bigint) WHERE o.kind = 1 AND o.page_at IS NOT NULL AND o.id = ANY (i_request);
  END IF;
  IF i_watch IS NOT NULL THEN SELECT * INTO v_items, v_rejects, v_watched FROM {S}.watch_units(i_watch); END IF;
  IF cardinality(i_request) > 0 OR i_record IS NOT NULL THEN
    v_items := v_items + {S}.put_items(i_request, i_visit, i_ordinal, ${textsIn('i_json')}, i_record);
  END IF;
  IF i_reject IS NOT NULL OR (v_items > 0 AND EXISTS (SELECT 1 FROM {S}.reject LIMIT 1)) THEN
    FOR v_each IN SELECT j.id, j.rejects FROM json_to_recordset(coalesce(i_reject, '[]')::json) j (id bigint, rejects json) LOOP
      v_rejects := v_rejects + {S}.put_rejects(v_each.id, {S}.visit_of(v_each.id), v_each.rejects);
    END LOOP;
    FOR v_each IN SELECT DISTINCT u.request AS id, u.visit FROM unnest(i_request, i_visit) u (request, visit) LOOP
      v_rejects := v_rejects + {S}.put_rejects(v_each.id, CASE WHEN v_each.visit < 0 THEN {S}.visit_of(v_each.id) ELSE v_each.visit END, '[]');
    END LOOP;
  END IF;
  IF cardinality(o_id) > 0 THEN
    WITH gone AS (DELETE FROM {S}.ready r USING unnest(o_host, o_rank, o_id) u (host, rank, id) WHERE r.host = u.host AND r.rank = u.rank AND r.id = u.id)
    INSERT INTO {S}.attempt (id, fetched_at, wire_bytes, duration_ms, run, status, state, attempts, free_attempts)
      SELECT u.id, u.fetched_at, u.wire, u.duration, p_run, u.status, 1, 1, 0
      FROM unnest(o_id, o_fetched_at, o_wire, o_duration, o_status) u (id, fetched_at, wire, duration, status);
  END IF;
  PERFORM {S}.count_at_hosts(v_links.hosts, v_links.readies, v_links.delays, v_links.ranks, o_host);
  IF s_outcome IS NOT NULL THEN PERFORM {S}.settle_all(p_process, p_run, s_outcome); END IF;
  IF cardinality(m_host) > 0 THEN PERFORM {S}.keep_memory(m_host, m_part, ${textsIn('m_json')}); END IF;
  IF cardinality(c_part) > 0 THEN PERFORM {S}.put_crawl_memory(p_process, c_part, c_json, c_inherited); END IF;
  v_answer := json_build_array(v_fresh, v_made, v_origins, v_asked, v_watched)::text;
  UPDATE {S}.process p SET group_no = p_group, answer = v_answer, changes = p.changes + 1, known = p.known + cardinality(v_fresh),
    done = p.done + cardinality(o_id), items = p.items + v_items, rejects = p.rejects + v_rejects WHERE p.id = p_process;
  RETURN v_answer;
END $$;

-- Seeds: the same for links alone.
CREATE FUNCTION {S}.add(p_process int, p_token uuid, p_no bigint, p_run int, p_sync text, p_lock_first boolean, k_key text[], k_origin text[], l_host int[], l_rank bigint[], l_fp uuid[],
  l_path text[], l_depth int[], l_handler int[], l_parent bigint[], l_anchor text[], l_not_before bigint[], l_extra text, l_ask text) RETURNS text
LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_made int[]; v_fresh int[]; v_links record;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  v_made := {S}.obtain_hosts(k_key, k_origin);
  v_fresh := {S}.fresh_links(l_fp, p_lock_first);
  PERFORM {S}.lock_hosts((SELECT coalesce(array_agg(DISTINCT CASE WHEN l_host[n] < 0 THEN v_made[-l_host[n]] ELSE l_host[n] END), '{}') FROM unnest(v_fresh) n)
    || CASE WHEN l_ask IS NULL THEN '{}' ELSE {S}.asked_hosts(l_ask) END);
  IF p_lock_first THEN v_fresh := {S}.fresh_links(l_fp, false); END IF;
  v_links := {S}.put_links(v_fresh, v_made, l_host, l_rank, l_fp, l_path, l_depth, l_handler, l_parent, l_anchor, l_not_before, l_extra);
  PERFORM {S}.count_at_hosts(v_links.hosts, v_links.readies, v_links.delays, v_links.ranks, '{}');
  IF l_ask IS NOT NULL THEN PERFORM {S}.ask_again(p_process, p_run, l_ask); END IF;
  UPDATE {S}.process p SET changes = p.changes + 1, known = p.known + cardinality(v_fresh) WHERE p.id = p_process;
  RETURN json_build_array(v_fresh, v_made, {S}.origins_of(v_made), '{}'::int[])::text;
END $$;
`

/** Functions for commits, and for seeds. */
export const COMMIT_FUNCTIONS: string = `${YIELDS}${COMMIT}`
