// SQL for a failover: a server that takes the place of another may lack what that one committed last, and nobody can tell what that was.
//
// Each promotion of a replica begins another timeline. The crawl has that of its server, and whoever works on it the number of its era. Every call of a
// process is made under that number (`same_server`): where the server has another timeline, or the era is over, it is refused. So nothing that a process knows
// only from the lost part is ever written. After 30 s of silence, in which everybody's hosts are over, the first process begins another era (`begin_era`):
// nobody is signed in, every host counts as taken over from a dead holder at its next lease, for it may have been visited in the lost part, and the numbers of
// requests, items and processes go on far behind those that were lost, for a sink, a file or a process may still have one of them.
// A server that has nothing of the crawl, or not its row, was promoted seconds after that was made. Who worked on it says so as it makes the crawl anew
// (open-store.ts): the row has an era by chance, which nobody can have been in, and is of another server than this one. So all wait, and the next era begins.

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
CREATE FUNCTION {S}.same_server(p_era int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM {S}.crawl c
    WHERE c.era = p_era AND c.timeline = CASE WHEN starts_with(c.timeline, 'started') THEN {S}.timeline() ELSE {S}.timeline_of_log() END;
  IF NOT FOUND THEN RAISE EXCEPTION 'another server took the place of that of the crawl' USING ERRCODE = 'AV002'; END IF;
  RETURN true;
END $$;

-- False where another process was faster.
CREATE FUNCTION {S}.begin_era(p_era int, p_timeline text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE g record;
BEGIN
  PERFORM 1 FROM {S}.crawl c WHERE c.id = 1 AND c.era = p_era AND c.timeline <> p_timeline AND {S}.timeline() = p_timeline FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  -- They killed nobody.
  DELETE FROM {S}.in_progress;
  FOR g IN SELECT p.id, p.token FROM {S}.process p WHERE p.id > 0 ORDER BY p.id LOOP
    PERFORM {S}.sign_out(g.id, g.token, NULL, true, '{}', 0, 'on');
  END LOOP;
  PERFORM setval('{S}.request_id', nextval('{S}.request_id') + ${String(LOST_NUMBERS)});
  PERFORM setval(pg_get_serial_sequence('{S}.process', 'id'), nextval(pg_get_serial_sequence('{S}.process', 'id')) + ${String(LOST_PROCESSES)});
  UPDATE {S}.numbering SET next_base = next_base + ${String(LOST_NUMBERS)};
  -- A host that is found from now on was not visited in the lost part by anybody who is still signed in.
  EXECUTE format('ALTER TABLE {S}.host ALTER COLUMN era SET DEFAULT %s', p_era + 1);
  UPDATE {S}.crawl c SET era = c.era + 1, timeline = p_timeline WHERE c.id = 1;
  RETURN true;
END $$;
`
