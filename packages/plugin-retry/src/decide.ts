// The law of retries: one attempt that went wrong → again at some moment, given up, or no opinion. Pure.
//
// Not every attempt counts. A refusal is about pace, not about the page; and while a host is down (failures in a row) no page of it can be judged.
// Either way ten attempts of a page are free, then they count: so a host that is down for an hour loses no page, and nothing is tried for ever.
import { delayMs } from './delay.ts'
import type { RetryClass } from './classify.ts'
import { isRepeatable, type Repeatable } from './is-repeatable.ts'

/** An attempt that went wrong. */
export interface Attempt {
  /** Absent: not worth another attempt. */
  readonly retryClass: RetryClass | undefined
  /** Plain word, such as `http-503`. */
  readonly reason: string
  readonly method: string
  /** Whether the server may have acted on the request. */
  readonly processed: boolean
  /** Before this one: those that count, and those that do not. */
  readonly attempts: number
  readonly freeAttempts: number
  /** Failures of the host in a row, this one included. */
  readonly hostFailures: number
  /** Epoch ms that the host asked to wait for. */
  readonly askedAt: number | undefined
  /** Epoch ms. */
  readonly now: number
  /** A number in [0, 1). */
  readonly chance: number
}

/** What the user set. */
export interface RetryLimits extends Repeatable {
  readonly maxAttempts: number
}

/** A vote; undefined = no opinion. */
export type Decision =
  /** `budgeted`: it costs a token, for it is a request more; a refusal was none. */
  | {
      readonly kind: 'retry'
      readonly at: number
      readonly reason: string
      readonly counted: boolean
      readonly budgeted: boolean
    }
  | { readonly kind: 'drop'; readonly reason: string }
  | undefined

/** Attempts of one page that do not count. */
const FREE_ATTEMPTS = 10

/** Decides on one attempt. */
export function decide(attempt: Attempt, limits: RetryLimits): Decision {
  const { retryClass, reason, method, processed, attempts, freeAttempts, askedAt = 0, now, chance } = attempt
  if (retryClass === undefined || !isRepeatable(method, processed, limits)) return undefined
  const counted = freeAttempts >= FREE_ATTEMPTS || !isFree(retryClass, attempt.hostFailures)
  if (counted && attempts + 1 >= Math.min(limits.maxAttempts, retryClass.maxAttempts ?? Infinity)) return { kind: 'drop', reason }
  const at = Math.max(askedAt, now + delayMs(retryClass, attempts + freeAttempts, chance))
  return { kind: 'retry', at, reason, counted, budgeted: retryClass.name !== 'throttle' }
}

function isFree({ name, outageFrom = Infinity }: RetryClass, hostFailures: number): boolean {
  return name === 'throttle' || hostFailures >= outageFrom
}
