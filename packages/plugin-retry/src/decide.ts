// The law of retries: one attempt that went wrong → again at some moment, given up, or no opinion. Pure.
//
// Not every attempt counts. A refusal is about pace, not about the page; and while a host is down no page of it can be judged. It is down when it
// cannot be connected to, or when three pages of it failed in a row; when one or two pages fail again and again it may be they, so one attempt
// counts in three minutes: a host that is down for five minutes loses none, and one bad page at the end of a crawl does not hold it for hours.
// Such doubts, and refusals, are good for ten free attempts of a page. An outage costs no page, however long it is and however many there are: the
// breaker limits the requests to a host meanwhile, and gives the host up, which keeps its pages. Without a breaker a page is requested once an hour in
// the end, and a thousand times at most: nothing is tried for ever.
import type { RetryClass } from './classify.ts'

/** An attempt that went wrong. */
export interface FailedAttempt {
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
  /** Different pages among those failures: 3 = three or more. */
  readonly failingPages: number
  /** Whether the host ever answered with a success. */
  readonly proven: boolean
  /** Ms since the first of them. */
  readonly downMs: number
  /** Epoch ms of the last attempt at this host that counted; 0 = none yet. */
  readonly countedAt: number
  /** Epoch ms that the host asked to wait for. */
  readonly askedAt: number | undefined
  /** Epoch ms. */
  readonly now: number
  /** A number in [0, 1). */
  readonly chance: number
}

/** What the user vouches for. */
export interface Repeatable {
  /** PUT and DELETE may be repeated. */
  readonly idempotent: boolean
  /** Everything may be repeated. */
  readonly retryUnsafe: boolean
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

/** Attempts of one page that do not count, outages apart; and with those. */
const FREE_ATTEMPTS = 10
const OUTAGE_ATTEMPTS = 1_000
/** So many different pages that fail in a row are no coincidence. */
export const OUTAGE_PAGES = 3
/** Four counted attempts, the first two at once: longer than five minutes. */
const COUNTED_EVERY_MS = 180_000

// RFC 9110 §9.2: GET, HEAD, OPTIONS and TRACE are safe; PUT and DELETE are idempotent by definition, and in practice only if the server's author read it.
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const IDEMPOTENT = new Set(['PUT', 'DELETE'])

/** Decides on one attempt. */
export function decide(attempt: FailedAttempt, limits: RetryLimits): Decision {
  const { retryClass, reason, method, processed, attempts, freeAttempts, askedAt = 0, now, chance } = attempt
  if (retryClass === undefined || !isRepeatable(method, processed, limits)) return undefined
  const outage = isOutage(retryClass, attempt)
  const { outageAttempts = OUTAGE_ATTEMPTS, maxAttempts = Infinity } = retryClass
  const counted = outage ? freeAttempts >= outageAttempts : freeAttempts >= FREE_ATTEMPTS || !isDoubtful(retryClass, attempt)
  if (counted && attempts + 1 >= Math.min(limits.maxAttempts, maxAttempts)) return { kind: 'drop', reason }
  // A certificate says nothing about the host's other origins: there each page keeps its own time.
  const waitMs =
    outage && retryClass.name !== 'certificate'
      ? outageDelayMs(retryClass, attempt.downMs, chance)
      : delayMs(retryClass, attempts + freeAttempts, chance)
  return { kind: 'retry', at: Math.max(askedAt, now + waitMs), reason, counted, budgeted: retryClass.name !== 'throttle' }
}

/** Whether a request may be sent twice. `processed`: the server may have acted on it; what never left this machine, or was refused unseen, may be repeated. */
export function isRepeatable(method: string, processed: boolean, { idempotent, retryUnsafe }: Repeatable): boolean {
  if (SAFE.has(method) || retryUnsafe || !processed) return true
  return idempotent && IDEMPOTENT.has(method)
}

/** The host is down: no page of it can be judged. Where there was no connection to a host that used to answer, one failure says so. */
function isOutage(
  { outageFrom = Infinity, hostOnly = false }: RetryClass,
  { hostFailures, failingPages, proven }: FailedAttempt,
): boolean {
  if (hostOnly) return hostFailures >= (proven ? 1 : outageFrom)
  return hostFailures >= outageFrom && failingPages >= OUTAGE_PAGES
}

/** The host refuses, or may be down. */
function isDoubtful({ name, outageFrom = Infinity }: RetryClass, { hostFailures, now, countedAt }: FailedAttempt): boolean {
  return name === 'throttle' || (hostFailures >= outageFrom && now - countedAt < COUNTED_EVERY_MS)
}

// How long to wait before another attempt. Pure.
//
// Full jitter (a uniform share of the doubled delay) spreads attempts best; for refusals half of it is certain, for full jitter sometimes gives
// almost nothing, and a throttled client that comes back at once burns its attempts. Source: AWS's simulator of both; aws-sdk-net #4341.
// A ban lasts as long as it does, however often it is tried: the same delay each time. An outage lasts as long as it does, whichever page is tried:
// pages wait about as long as it has lasted so far, and are there when the host is back, be it after 20 s or after a day.
const OUTAGE_MS = 5_000
const LONGEST_OUTAGE_MS = 3_600_000
/** Beyond this doubling changes nothing, and numbers stay small. */
const MOST_DOUBLINGS = 30

/** Ms to wait after `tries` attempts of any kind; `chance` in [0, 1). */
export function delayMs({ name, baseMs, capMs }: RetryClass, tries: number, chance: number): number {
  if (name === 'blocked') return Math.round(baseMs + (capMs - baseMs) * chance)
  const longestMs = Math.min(capMs, baseMs * 2 ** Math.min(tries, MOST_DOUBLINGS))
  return Math.round(longestMs * (name === 'throttle' || name === 'certificate' ? 0.5 + chance / 2 : chance))
}

/** Ms to wait while the host is down, for `downMs` so far; `chance` in [0, 1). */
function outageDelayMs({ outageMs = OUTAGE_MS }: RetryClass, downMs: number, chance: number): number {
  return Math.round(Math.min(LONGEST_OUTAGE_MS, Math.max(outageMs, downMs)) * (0.5 + chance / 2))
}
