// What is remembered of one host: while all is well, nothing. Each function notes one event, in place. What is over is set
// to undefined, which JSON leaves out: V8 turns an object from which a property was deleted into a slow one, and these live for weeks.
import { credited, FULL_HOST, type HostBudget } from './budget.ts'
import type { RetryClass } from './classify.ts'
import { OUTAGE_PAGES } from './decide.ts'

/** Memory of one host. */
export interface RetryMemory {
  /** Absent = full. */
  budget?: HostBudget | undefined
  /** Retries that this plugin voted for. */
  retries?: number
  /** Ids of different requests that failed since the last answer that was none, the first three of them. */
  failing?: number[] | undefined
  /** Epoch ms of the first of those failures. */
  failingSince?: number | undefined
  /** Epoch ms of the last failure that counted. */
  countedAt?: number
}

/** What is left of it. */
export function hostBudget({ budget = FULL_HOST }: RetryMemory): HostBudget {
  return budget
}

/** Notes that the host answered, be it with a page that cannot be read: it is not down. */
export function noteUp(host: RetryMemory): void {
  if (host.failing !== undefined) host.failing = host.failingSince = undefined
}

/** Notes an answer that is no failure of the host. */
export function noteWell(host: RetryMemory): void {
  noteUp(host)
  if (host.budget === undefined) return
  host.budget = credited(host.budget)
  if (host.budget.tokens >= FULL_HOST.tokens) host.budget = undefined
}

/** Notes which request failed at `now` (epoch ms); how many different ones did, as far as it matters, and for how long. */
export function noteFailing(
  host: RetryMemory,
  retryClass: RetryClass,
  { id, now }: { readonly id: number; readonly now: number },
): { readonly failingPages: number; readonly downMs: number } {
  if (isFailure(retryClass)) {
    const { failing = [] } = host
    host.failingSince ??= Math.round(now)
    if (failing.length < OUTAGE_PAGES && !failing.includes(id)) host.failing = [...failing, id]
  }
  const { failing = [], failingSince = now } = host
  return { failingPages: failing.length, downMs: Math.max(0, now - failingSince) }
}

/** Notes a vote for a retry at `now` (epoch ms). */
export function noteRetry(
  host: RetryMemory,
  { retryClass, counted, now }: { readonly retryClass: RetryClass; readonly counted: boolean; readonly now: number },
): void {
  host.retries = (host.retries ?? 0) + 1
  if (counted && isFailure(retryClass)) host.countedAt = Math.round(now)
}

/** A refusal and a ban say that the host is not down. */
function isFailure({ name }: RetryClass): boolean {
  return name !== 'throttle' && name !== 'blocked'
}
