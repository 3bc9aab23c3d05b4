// Whether a process of a crawl may live, as far as the system of this one can say.
//
// Of those that it does not know only a beat that stands still tells (peers.ts).
import type { CrawlingProcess } from '@avocet/core/store'
import { isAlive, thisProcess, type ProcessIdentity } from '@avocet/store-sql'
import type { Queries } from '../connection/queries.ts'

/** False only where the system says that it is dead. */
export function mayLive(process: ProcessIdentity, me: ProcessIdentity = thisProcess()): boolean {
  return !isOfThisSystem(process, me) || isAlive(process, me, false)
}

// Whether the system of this process knows another one of a crawl: the same start of the same machine, the same space of process ids, and a start time.
//
// A machine without a boot id (macOS, Windows) has '' like every other one: a pid there is nobody's here.

/** Only of such a process does the system here say anything. */
export function isOfThisSystem({ boot, namespace, started }: ProcessIdentity, me: ProcessIdentity): boolean {
  return boot !== '' && boot === me.boot && namespace === me.namespace && started !== ''
}

// The processes that work on a crawl, as far as can be told from here.
//
// Of those of another machine nobody can say at once that they died: they count until somebody has buried them. How long ago each was heard of is by the
// server's clock alone, which wrote down when it was; nothing is decided by it.

interface ProcessRow extends ProcessIdentity {
  readonly id: number
  readonly machine: string
  readonly hosts: number
  readonly since: number
  readonly silent_ms: number
}

const IDENTITIES = 'SELECT id, boot, namespace, pid, thread, started FROM {S}.process WHERE id > 0'
const PROCESSES = `SELECT p.id, p.boot, p.namespace, p.pid, p.thread, p.started, p.machine, p.signed_in_at AS since,
  (SELECT count(*) FROM {S}.host h WHERE h.owner = p.id) AS hosts,
  greatest(0, floor(extract(epoch FROM clock_timestamp() - p.heard_at) * 1000))::bigint AS silent_ms
  FROM {S}.process p WHERE p.id > 0 ORDER BY p.machine, p.pid, p.id`

/** Ids of those that live. */
export async function aliveOf(queries: Pick<Queries, 'all'>, me: ProcessIdentity = thisProcess()): Promise<ReadonlySet<number>> {
  const rows = await queries.all<ProcessIdentity & { readonly id: number }>(IDENTITIES)
  return new Set(rows.filter((row) => mayLive(row, me)).map(({ id }) => id))
}

/** Those that live, by machine and pid. */
export async function crawlingProcesses(queries: Pick<Queries, 'all'>): Promise<readonly CrawlingProcess[]> {
  const rows = await queries.all<ProcessRow>(PROCESSES)
  const me = thisProcess()
  return rows
    .filter((row) => mayLive(row, me))
    .map(({ machine, pid, hosts, since, silent_ms: silentMs }) => ({ machine, pid, hosts, since, silentMs }))
}
