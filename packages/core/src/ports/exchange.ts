// One attempt at one request, as plugins see it: what is asked, of which host, under which limits, and how it ended.
import type { TimeLimits } from './fetcher.ts'
import type { Failure } from './failure.ts'
import type { Fetched } from './frontier.ts'
import type { HostOptions } from './host-options.ts'
import type { Page } from './page.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'

/** Whether a host keeps us out, as plugins see it. */
export interface Blocking {
  /** Forbidden answers since the last answer of another kind. */
  readonly inRow: number
  /** It served pages before, and the row is longer than private pages explain, or holds one that was served in an earlier visit. */
  readonly isSuspected: boolean
  /** It answered with a success before, and the row is ten long: each further request makes it worse. */
  readonly isCertain: boolean
}

/** A host as plugins see it. Read only: what a plugin learns, it keeps in its own memory. */
export interface HostView {
  /** Host name plus non-default port by default. */
  readonly key: string
  /** Exchanges that are booked and not over. */
  readonly inFlight: number
  /** Whether it ever answered with a success, in any run. */
  readonly proven: boolean
  /** Failures and answers with 5xx in a row. A 429 or 503 neither counts nor ends the row. */
  readonly consecutiveFailures: number
  /** Whether it keeps us out. Decided once per answer, before `onResponse`. */
  readonly blocking: Blocking
  /** Number of the last exchange booked at this host; ascending, persisted. */
  readonly seq: number
  /** Epoch ms of the last booking; 0 when there was none. */
  readonly lastStartAt: number
  /** Epoch ms of the last end of an exchange; 0 when there was none. */
  readonly lastEndAt: number
  /** From sending to the end, of the last exchange that was sent; 0 when there was none. */
  readonly lastDurationMs: number
  /** Requests a second that its rate policy had found; Infinity where none paces it. */
  readonly pacedRps: number
  /** What the user set for this host under `hosts:` in the configuration. */
  readonly options: HostOptions
  /** When an operator last accepted what is held of this host, epoch ms; 0 = never. Plugins that hold items begin anew. */
  readonly acceptedAt: number
  /** Text kept beside the memory (≤ 512 KiB), such as a robots copy. `name` begins with the plugin's own. */
  blob(name: string): string | undefined
  /** Keeps such a text; undefined removes it. A function is asked when the host is given back. */
  keepBlob(name: string, text: string | undefined | LateBlob): void
}

/** What is kept of a host when it is given back. */
export type LateBlob = () => string | undefined

/** What a host would be asked next: part of `Admission`. */
export type NextRequest = Readonly<Record<'nextUrl' | 'nextSession', string | undefined>> & {
  readonly host: HostView
  /** Epoch ms. */
  readonly now: number
}

/** One attempt at one request: then a response or an error. */
export interface Exchange {
  /** What is requested. */
  readonly request: Request
  /** The host that is requested. */
  readonly host: HostView
  /** Number of this exchange at its host, ascending across restarts: `seq <= memory.changedAtSeq` is old news. */
  readonly seq: number
  /** Epoch ms of the booking. */
  readonly admittedAt: number
  /** Epoch ms at which its first byte was written; absent before. */
  readonly sentAt?: number
  /** URL of the proxy that it is sent through, without credentials; absent where there is none, and before one is chosen. */
  readonly proxy?: string
  /** What tells this proxy from one with the same URL and another user name. It names no user. */
  readonly proxyId?: string
  /** Why it did not count, where its proxy was to blame, or may have been (`isProven`). */
  readonly proxyFailure?: { readonly failure: Failure; readonly at: number; readonly isProven: boolean }
  /** An exchange of the crawl's own, such as for robots.txt: only plugins with `seesRequired` get it. */
  readonly required: boolean
  /** How long it may take: those of the crawl, as far as no plugin tightened them. */
  readonly limits: TimeLimits
  /** Tightens the limits: the smallest counts (of `minBytesPerSecond`, the largest). */
  limit(limits: Partial<TimeLimits>): void
  /**
   * A number in [0, 1) that depends on the crawl's seed, the host, this exchange and `salt` alone, so that a resumed crawl
   * decides alike.
   */
  random(salt: string): number
}

/**
 * Epoch ms, whole, at which what an exchange came to was fetched: one moment for its page, for the history in the store and for a plugin that keeps the
 * response, so that it identifies the visit. A response that a plugin served has a moment of its own.
 */
export function fetchedAtOf({ sentAt, admittedAt }: Pick<Exchange, 'sentAt' | 'admittedAt'>, response?: Response): number {
  return Math.round(response?.fetchedAt ?? sentAt ?? admittedAt)
}

/** The line of history of an exchange that ended at `now`. */
export function fetchedOf(exchange: Exchange, now: number, response?: Response, cause?: Failure): Fetched {
  return {
    at: fetchedAtOf(exchange, response),
    status: response?.status ?? 0,
    durationMs: Math.max(0, now - (exchange.sentAt ?? exchange.admittedAt)),
    wireBytes: response?.wireBytes ?? cause?.wireBytes ?? 0,
  }
}

/** What plugins vote on. The loudest vote counts: a drop beats a retry, and of several retries the latest moment counts. */
export interface Voted {
  /** Try again, not before `at` (epoch ms). `counted` false: the attempt does not count. Default true. */
  retry(at: number, reason: string, options?: { readonly counted?: boolean } & Insistence): void
  /** Give the request up; settle it as failed. */
  drop(reason: string, options?: Insistence): void
}

/** What is no answer to the request, such as a page that is logged out: `insists` has only such votes count, whatever the status. Default false. */
interface Insistence {
  readonly insists?: boolean
}

/** An exchange that got an answer. For refused statuses (429, 503) the body is empty: it is given at the headers. */
export interface Answered extends Voted {
  /** What was requested. */
  readonly exchange: Exchange
  /** What came back, also of a redirect. */
  readonly response: Response
  /** Epoch ms. */
  readonly now: number
  /** Whether the spider wants this status: then votes do not count, unless it is below 300. */
  readonly wanted: boolean
  /** It as a page: parsed once, for the handler as well. */
  page(): Page
  /** Whether its status is one of `blockedStatuses` that the spider does not want. */
  readonly forbidden: boolean
}

/** An exchange that got none. */
export interface Failed extends Voted {
  /** What was requested. */
  readonly exchange: Exchange
  /** Why there was no answer. */
  readonly failure: Failure
  /** Epoch ms. */
  readonly now: number
}

// What becomes of a request after an exchange, and how the votes of several plugins combine: the loudest wins.

/** accept < retry < drop. */
export type Verdict =
  | { readonly kind: 'accept' }
  /** Try again, not before `at` (epoch ms). `counted`: this attempt counts towards a retry limit. */
  | { readonly kind: 'retry'; readonly at: number; readonly counted: boolean; readonly reason: string }
  /**
   * Settle as failed with `reason`: a short kebab-case word such as `http-404`. One that begins with the name of a class of dead letters puts it there:
   * `robots`, `blocked-captcha`.
   */
  | { readonly kind: 'drop'; readonly reason: string }

const LOUDNESS = { accept: 0, retry: 1, drop: 2 } as const

/** The verdict that nobody has voted against. */
export const ACCEPT: Verdict = { kind: 'accept' }

/**
 * Joins two votes. Commutative, associative and idempotent, so the order of plugins cannot matter: the loudest kind wins,
 * two retries wait for the later moment and count if either counts, and of equal reasons the alphabetically first is kept.
 *
 * @example
 * ```ts
 * louder({ kind: 'accept' }, { kind: 'drop', reason: 'http-404' }) // the drop
 * ```
 */
export function louder(a: Verdict, b: Verdict): Verdict {
  if (a.kind === 'retry' && b.kind === 'retry') {
    return {
      kind: 'retry',
      at: Math.max(a.at, b.at),
      counted: a.counted || b.counted,
      reason: a.reason < b.reason ? a.reason : b.reason,
    }
  }
  if (a.kind === 'drop' && b.kind === 'drop') return a.reason <= b.reason ? a : b
  return LOUDNESS[a.kind] >= LOUDNESS[b.kind] ? a : b
}
