// SQL for watched items, their changes, and items that are held: the laws of core (`watchLaws`), one page at a time.
//
// A key belongs to a host, and callers have locked it, so an operator who settles what is held of a host and its holder come one after the other. Units are
// taken in their order, for one may settle what another of its group has held. What they publish is in a group of its own before that of their items, with
// their changes: both have their numbers by it. Its id is given once the hosts are locked, so that changes of a key have their numbers in their order.
import { HELD_SOURCE } from '@avocet/core/store'
import { BY_INDEX_PLANNED_ONCE as PLANS } from './plans.ts'

/** Functions for watched items. */
export const WATCH_FUNCTIONS: string = `
-- A visit says this of watched items; the first of its changes is number p_before + 1 of its group. Returns how many there are.
CREATE FUNCTION {S}.see_watched(p_grp bigint, p_before int, p_host int, p_request bigint, p_visit int, p_at bigint, p_is_once boolean, p_shows text, p_gone_after int,
  p_keys text[], p_values text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v_changes int;
BEGIN
  WITH seen AS (
    SELECT u.n, u.key, u.value AS after, hashtext(u.value) AS digest, s.missed = 0 AND s.digest = hashtext(u.value) AS is_known, w.value AS before, coalesce(w.source, 0) AS source,
      coalesce(w.pages, 0) AS pages, s.key IS NULL AND NOT p_is_once AS joins, CASE WHEN w.key IS NULL THEN 'new' WHEN w.gone THEN 'back'
        WHEN w.value <> u.value AND (w.source IN (0, p_request) OR s.digest <> hashtext(u.value) OR (w.source < 0 AND coalesce(s.missed, -1) < 0 AND w.pages = 1 + (s.key IS NOT NULL)::int))
        THEN 'changed' END AS kind
      FROM (SELECT DISTINCT ON (v.key COLLATE "C") v.key, v.value, v.n FROM unnest(p_keys, p_values) WITH ORDINALITY v (key, value, n)
        WHERE v.key IS NOT NULL ORDER BY v.key COLLATE "C", v.n DESC) u
      LEFT JOIN LATERAL (SELECT * FROM {S}.shown p WHERE p.request = p_request AND p.key = u.key LIMIT 1) s ON true
      LEFT JOIN LATERAL (SELECT * FROM {S}.watched g WHERE g.host = p_host AND g.key = u.key LIMIT 1) w ON true),
  lacked AS (
    SELECT s.key, s.digest, m.missed, p_gone_after IS NULL OR m.missed >= p_gone_after AS is_last, w.value AS before, w.source, w.pages
      FROM {S}.shown s, LATERAL (SELECT greatest(s.missed, 0) + 1 AS missed) m, LATERAL (SELECT * FROM {S}.watched g WHERE g.host = p_host AND g.key = s.key LIMIT 1) w
      WHERE s.request = p_request AND p_shows <> 'some' AND (p_shows <> 'unchanged' OR s.missed > 0) AND NOT s.key = ANY (p_keys)),
  news AS (
    SELECT x.n, x.key, CASE WHEN x.kind IS NULL THEN x.before ELSE x.after END AS value, x.pages + x.joins::int AS pages, false AS gone,
      CASE WHEN x.kind IS NULL AND (x.source > 0 OR p_is_once OR x.before <> x.after) THEN x.source WHEN p_is_once THEN 0 ELSE p_request END AS source,
      x.kind, x.before, x.after
      FROM seen x WHERE x.kind IS NOT NULL OR x.joins OR (x.source <= 0 AND NOT p_is_once AND x.before = x.after)
    UNION ALL
    SELECT NULL, x.key, x.before, x.pages - x.is_last::int, x.is_last AND x.pages = 1,
      CASE WHEN abs(x.source) <> p_request THEN x.source WHEN x.is_last THEN 0 ELSE -p_request END,
      CASE WHEN x.is_last AND x.pages = 1 THEN 'gone' END, x.before, NULL FROM lacked x WHERE x.is_last OR x.source = p_request),
  put AS (
    INSERT INTO {S}.watched (source, host, pages, gone, key, value) SELECT x.source, p_host, x.pages, x.gone, x.key, x.value FROM news x
    ON CONFLICT (host, key) DO UPDATE SET source = excluded.source, pages = excluded.pages, gone = excluded.gone, value = excluded.value),
  put_shown AS (
    INSERT INTO {S}.shown (request, digest, missed, key)
    SELECT p_request, x.digest, CASE WHEN x.joins AND x.kind IS NULL AND x.before <> x.after THEN -1 ELSE 0 END, x.key
      FROM seen x WHERE x.is_known IS NOT TRUE AND NOT p_is_once
    UNION ALL SELECT p_request, x.digest, x.missed, x.key FROM lacked x WHERE NOT x.is_last
    ON CONFLICT (request, key) DO UPDATE SET digest = excluded.digest, missed = excluded.missed),
  forgotten AS (DELETE FROM {S}.shown s USING lacked x WHERE x.is_last AND s.request = p_request AND s.key = x.key)
  INSERT INTO {S}.change (grp, request, at, host, n, visit, kind, key, before, after)
    SELECT p_grp, p_request, p_at, p_host, p_before + row_number() OVER (ORDER BY x.n, x.key), p_visit, x.kind, x.key, x.before, x.after FROM news x
    WHERE x.kind IS NOT NULL;
  GET DIAGNOSTICS v_changes = ROW_COUNT;
  RETURN v_changes;
END $$;

-- What becomes of what is held of a host, page by page in the order in which it was held. p_by: the page that says so, if it is one: it publishes only what is
-- held of pages with its handler. items, changes: how many its group has.
CREATE FUNCTION {S}.settle_held_of(p_grp bigint, p_host int, p_fate text, p_by bigint, INOUT items int, INOUT changes int, OUT settled int) LANGUAGE plpgsql AS $$
DECLARE x record; v_items int; v_handler int;
BEGIN
  settled := 0;
  IF p_fate = 'publish' THEN SELECT r.handler INTO v_handler FROM {S}.request r WHERE r.id = p_by; END IF;
  FOR x IN WITH freed AS (DELETE FROM {S}.reject j WHERE j.host = p_host AND
      (v_handler IS NULL OR v_handler = (SELECT r.handler FROM {S}.request r WHERE r.id = j.request)) RETURNING j.*)
    SELECT f.request, f.visit, min(f.at) AS at, count(*)::int AS size, array_agg(f.ordinal ORDER BY f.id) AS ordinals, array_agg(f.json ORDER BY f.id) AS texts,
      array_agg(f.watch_key ORDER BY f.id) AS keys, array_agg(f.watch_value ORDER BY f.id) AS shown FROM freed f GROUP BY f.request, f.visit ORDER BY min(f.id) LOOP
    settled := settled + x.size;
    CONTINUE WHEN p_fate <> 'publish';
    INSERT INTO {S}.item (grp, request, n, visit, ordinal, json)
      SELECT p_grp, x.request, items + row_number() OVER (ORDER BY u.n), x.visit, u.ordinal, u.json FROM unnest(x.ordinals, x.texts) WITH ORDINALITY u (ordinal, json, n)
      WHERE NOT EXISTS (SELECT 1 FROM {S}.item i WHERE i.request = x.request AND i.visit = x.visit AND i.ordinal = u.ordinal);
    GET DIAGNOSTICS v_items = ROW_COUNT;
    items := items + v_items;
    changes := changes + {S}.see_watched(p_grp, changes, p_host, x.request, x.visit, x.at, false, 'some', NULL, x.keys, x.shown);
  END LOOP;
END $$;

-- What units say of watched and held items. Returns how many items were published and how many more rejects there are; of each unit that made some, its place,
-- how many items it published, and how many changes it made.
CREATE FUNCTION {S}.watch_units(p_units text, OUT items int, OUT rejects int, OUT made int[]) LANGUAGE plpgsql AS $$
DECLARE x record; v_grp bigint := nextval('{S}.item_group_id_seq'); v_changes int := 0; v_before int[]; v_rows int; v_visit int;
BEGIN
  items := 0; rejects := 0; made := '{}';
  FOR x IN SELECT * FROM json_to_recordset(p_units::json) u (place int, id bigint, host int, at bigint, fate text, held json, reason text, kind text, shows text,
    gone_after int, keys text[], shown text[], replaces boolean, is_once boolean) LOOP
    v_before := ARRAY[items, v_changes];
    IF x.fate IS NOT NULL THEN
      SELECT s.items, s.changes, s.settled INTO items, v_changes, v_rows FROM {S}.settle_held_of(v_grp, x.host, x.fate, x.id, items, v_changes) s;
      rejects := rejects - v_rows;
    END IF;
    IF x.held IS NOT NULL THEN
      INSERT INTO {S}.reject (source, request, at, visit, ordinal, host, kind, reason, json, watch_key, watch_value)
        SELECT '${HELD_SOURCE}', x.id, x.at, {S}.visit_of(x.id), h.ordinal, x.host, x.kind, x.reason, h.json, h.key, h.value
        FROM json_to_recordset(x.held) h (ordinal int, json text, key text, value text) ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS v_rows = ROW_COUNT;
      rejects := rejects + v_rows;
    ELSIF x.replaces THEN
      DELETE FROM {S}.reject j WHERE (j.request = x.id AND j.source = '${HELD_SOURCE}') OR (j.host = x.host AND j.watch_key = ANY (x.keys));
      GET DIAGNOSTICS v_rows = ROW_COUNT;
      rejects := rejects - v_rows;
    END IF;
    IF x.shows IS NOT NULL THEN
      v_visit := {S}.visit_of(x.id);
      v_changes := v_changes + {S}.see_watched(v_grp, v_changes, x.host, x.id, v_visit, x.at, x.is_once, x.shows, x.gone_after, x.keys, x.shown);
    END IF;
    IF v_before <> ARRAY[items, v_changes] THEN made := made || ARRAY[[x.place, items - v_before[1], v_changes - v_before[2]]]; END IF;
  END LOOP;
  IF items + v_changes > 0 THEN
    INSERT INTO {S}.item_group (id, size, items, changes) VALUES (v_grp, greatest(items, v_changes), items, v_changes);
  END IF;
END $$;

-- What becomes of all that is held of a host, by hand. Returns how many items it was.
CREATE FUNCTION {S}.settle_held(p_process int, p_token uuid, p_no bigint, p_key text, p_fate text, p_sync text) RETURNS int LANGUAGE plpgsql ${PLANS} AS $$
DECLARE v_host int; v_done record;
BEGIN
  PERFORM set_config('synchronous_commit', p_sync, true);
  PERFORM 1 FROM {S}.process p WHERE p.id = p_process AND p.token = p_token FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT {S}.in_order(p_process, '', p_no) THEN RETURN NULL; END IF;
  SELECT h.id INTO v_host FROM {S}.host h WHERE h.key = p_key FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 0; END IF;
  SELECT * INTO v_done FROM {S}.watch_units(json_build_array(json_build_object('place', 0, 'host', v_host, 'fate', p_fate))::text);
  UPDATE {S}.process p SET changes = p.changes + 1, items = p.items + v_done.items, rejects = p.rejects + v_done.rejects WHERE p.id = p_process;
  RETURN -v_done.rejects;
END $$;
`
