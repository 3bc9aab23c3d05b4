// The totals of a crawl: sums over its processes, those that are gone among them.
import type { Counts } from '@avocet/core/store'
import type { Queries } from '../connection/queries.ts'

const COUNTS = `SELECT p.*, known - done - moved - failed AS waiting, (SELECT count(*) FROM {S}.record) AS records, h.* FROM
  (SELECT sum(known) AS known, sum(done) AS done, sum(moved) AS moved, sum(failed) AS failed, sum(items) AS items, sum(again) AS again,
   sum(rejects) AS rejects FROM {S}.process) p,
  (SELECT count(*) AS hosts, count(*) FILTER (WHERE retired_for IS NOT NULL) AS "retiredHosts",
   coalesce(sum(ready + delayed - again) FILTER (WHERE retired_for IS NOT NULL), 0) AS retired FROM {S}.host) h`

/** Reads them. */
export async function countsOf(queries: Queries): Promise<Counts> {
  const [row] = await queries.all<Required<Counts>>(COUNTS)
  const {
    known = 0,
    waiting = 0,
    done = 0,
    moved = 0,
    failed = 0,
    items = 0,
    hosts = 0,
    retiredHosts = 0,
    retired = 0,
  } = row ?? {}
  const { records = 0, again = 0, rejects = 0 } = row ?? {}
  return {
    ...{ known, waiting, done, moved, failed, items, hosts, retiredHosts, retired },
    ...(records > 0 && { records }),
    ...(again > 0 && { again }),
    ...(rejects > 0 && { rejects }),
  }
}
