// What is remembered of one host: while all is well, only that it served a page. Each function notes one event, in place.
import { credited, FULL_HOST, type HostBudget } from './budget.ts'
import { allowed, forbidden, looksBanned, type Blocks } from './blocks.ts'
import { BLOCKED, type RetryClass } from './classify.ts'
import { OUTAGE_PAGES } from './decide.ts'

/** Memory of one host. */
export interface HostMemory {
  /** Absent = full. */
  budget?: HostBudget
  /** Retries that were asked for. */
  retries?: number
  /** Ids of different requests that failed since the last answer that was none, the first three of them. */
  failing?: number[]
  /** Epoch ms of the last failure that counted. */
  countedAt?: number
  /** A page of it was served, in any run. */
  served?: true
  /** Absent while nothing was forbidden. */
  blocks?: Blocks
}

/** An answer to a page, and what it would be by its status alone. */
export interface PageAnswer {
  readonly retryClass: RetryClass | undefined
  readonly status: number
  readonly seq: number
  /** Epoch ms. */
  readonly now: number
  /** The page was asked for before, and that counted. */
  readonly again: boolean
}

export function budgetOf({ budget = FULL_HOST }: HostMemory): HostBudget {
  return budget
}

/** The host answered, and is not down. */
export function noteWell(host: HostMemory): void {
  if (host.failing !== undefined) delete host.failing
  if (host.budget === undefined) return
  host.budget = credited(host.budget)
  if (host.budget.tokens >= FULL_HOST.tokens) delete host.budget
}

/** Notes what the answer says about a ban; the class in its light: none for a forbidden page that may simply be private. */
export function noteAnswer(host: HostMemory, answer: PageAnswer): RetryClass | undefined {
  const { retryClass, status, again } = answer
  if (retryClass === BLOCKED) {
    host.blocks = forbidden(host.blocks, answer)
    return host.served === true && looksBanned(host.blocks) ? BLOCKED : undefined
  }
  if (retryClass !== undefined) return retryClass
  const isServed = status < 300
  if (isServed) host.served ??= true
  if (host.blocks === undefined) return undefined
  const left = allowed(host.blocks, { ...answer, rescued: isServed && again })
  if (left === undefined) delete host.blocks
  else host.blocks = left
  return undefined
}

/** Notes which request failed; how many different ones did, as far as it matters. A refusal and a ban are no failures. */
export function noteFailing(host: HostMemory, { name }: RetryClass, id: number): number {
  const { failing = [] } = host
  const isFailure = name !== 'throttle' && name !== 'blocked'
  if (!isFailure || failing.length >= OUTAGE_PAGES || failing.includes(id)) return failing.length
  host.failing = [...failing, id]
  return failing.length + 1
}
