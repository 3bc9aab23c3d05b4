// Requests of closed patterns that are to be tried again: some wait again, spread over the oldest 2,000 that were refused, so that a pattern that was closed
// wrongly is opened also when nothing of it waits any more. What says the same as before is settled again.
import type { Frontier } from '../frontier.ts'
import { hostsOf } from '../hosts-of.ts'
import { TRAP_REASON } from '../traps/accepted-patterns.ts'
import { closedAtRest, GAINS_PART } from '../traps/host-gains.ts'
import { TRIALS } from '../traps/pattern-record.ts'

/** They are chosen of so many, the oldest: a host may have a million, and a trial that says something new is followed by others. */
const LOOKED_AT = 2_000
/** Hosts of one opening; the others in a later one. */
const MAX_HOSTS = 1_000

type Store = Pick<Frontier, 'reader' | 'reopen'>

/** Has some requests of `hostKey` wait again; how many. */
export async function reopenSome({ reader, reopen }: Store, hostKey: string): Promise<number> {
  const refused = await reader.requests({ hostKey, state: 'failed', reason: TRAP_REASON, limit: LOOKED_AT })
  if (refused.length === 0) return 0
  const step = Math.max(1, refused.length / TRIALS)
  const ids = Array.from({ length: Math.min(TRIALS, refused.length) }, (_, n) => refused[Math.floor(n * step)]?.id)
  return reopen({ ids: ids.filter((id) => id !== undefined), limit: TRIALS })
}

/** At the start of a run: the same for each host that has a closed pattern whose day has come. */
export async function reopenDue(store: Store, now: number): Promise<number> {
  const failures = await store.reader.failures()
  if (!failures.some(({ reason }) => reason === TRAP_REASON)) return 0
  let left = MAX_HOSTS
  let count = 0
  for await (const { hostKey, memory } of hostsOf(store.reader, [GAINS_PART])) {
    const closed = closedAtRest(hostKey, memory[GAINS_PART])
    if (!closed.some(({ reason, tryAt }) => reason === 'same-content' && tryAt <= now)) continue
    count += await reopenSome(store, hostKey)
    if (--left === 0) break
  }
  return count
}
