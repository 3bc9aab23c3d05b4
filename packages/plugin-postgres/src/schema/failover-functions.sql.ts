// SQL for a failover: a server that takes the place of another may lack what that one committed last, and nobody can tell what that was.
//
// Each promotion of a replica begins another timeline. The crawl has that of its server. Every call of a process that writes is made under the timeline that
// it found when it opened (`same_server`): on any other it is refused, so nothing that a process knows only from the lost part is ever written, and nobody
// opens the crawl. Who has made sure that no process is left on the other server accepts this one by hand (`accept_server`): nobody is signed in, every host
// counts as taken over from a dead holder at its next lease, for it may have been visited in the lost part, and the numbers of requests, items, changes and
// processes go on far behind those that were lost, for a sink, a file or a process may still have one of them.

// Which server this is, in SQL: what a promotion changes, and a restart does not.

/**
 * Each promotion of a replica begins another timeline. A server that has none, such as those of some clouds, fails the first of these: it has the moment of
 * its start instead, so each of its restarts counts as a failover. Source: PostgreSQL documentation §9.28.3; `pg_control_checkpoint()` lags.
 */
export const TIMELINES = {
  usual: 'left(pg_walfile_name(pg_current_wal_lsn()), 8)',
  without: `'started ' || extract(epoch FROM pg_postmaster_start_time())::text`,
} as const

/** More than a server can have lost. */
const LOST_NUMBERS = 1_000_000_000
const LOST_PROCESSES = 10_000

/** Functions for failovers. */
export const FAILOVER_FUNCTIONS: string = `
CREATE FUNCTION {S}.timeline_of_log() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF pg_is_in_recovery() THEN RAISE EXCEPTION 'the server is a read-only replica' USING ERRCODE = 'read_only_sql_transaction'; END IF;
  RETURN ${TIMELINES.usual};
END $$;

CREATE FUNCTION {S}.timeline() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN {S}.timeline_of_log();
EXCEPTION WHEN undefined_function OR feature_not_supported OR insufficient_privilege THEN
  RETURN ${TIMELINES.without};
END $$;

-- The question of most servers is without a subtransaction, which costs more than all the rest of it.
CREATE FUNCTION {S}.same_server(p_timeline text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM {S}.crawl c
    WHERE c.timeline = p_timeline AND p_timeline = CASE WHEN starts_with(p_timeline, 'started') THEN {S}.timeline() ELSE {S}.timeline_of_log() END;
  IF NOT FOUND THEN RAISE EXCEPTION 'another server took the place of that of the crawl' USING ERRCODE = 'AV002'; END IF;
  RETURN true;
END $$;

-- By hand. False where it is the crawl's already.
CREATE FUNCTION {S}.accept_server() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE g record;
BEGIN
  PERFORM 1 FROM {S}.crawl c WHERE c.id = 1 AND c.timeline <> {S}.timeline() FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  -- They killed nobody.
  DELETE FROM {S}.in_progress;
  FOR g IN SELECT p.id, p.token FROM {S}.process p WHERE p.id > 0 ORDER BY p.id LOOP
    PERFORM {S}.sign_out(g.id, g.token, NULL, true, '{}', 0, 'on');
  END LOOP;
  UPDATE {S}.host SET abandoned = true;
  PERFORM setval('{S}.request_id', nextval('{S}.request_id') + ${String(LOST_NUMBERS)});
  PERFORM setval(pg_get_serial_sequence('{S}.process', 'id'), nextval(pg_get_serial_sequence('{S}.process', 'id')) + ${String(LOST_PROCESSES)});
  UPDATE {S}.numbering SET next_base = next_base + ${String(LOST_NUMBERS)};
  UPDATE {S}.crawl c SET timeline = {S}.timeline() WHERE c.id = 1;
  RETURN true;
END $$;
`
