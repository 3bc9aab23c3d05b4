// Which server this is, in SQL: what a promotion changes, and a restart does not.

/**
 * Each promotion of a replica begins another timeline. A server that has none, such as those of some clouds, fails the first of these: it has the moment of
 * its start instead, so each of its restarts counts as a failover. Source: PostgreSQL documentation §9.28.3; `pg_control_checkpoint()` lags.
 */
export const TIMELINES = {
  usual: 'left(pg_walfile_name(pg_current_wal_lsn()), 8)',
  without: `'started ' || extract(epoch FROM pg_postmaster_start_time())::text`,
} as const
