// Which answers and failures are worth another attempt, how many, and how long to wait: the one table. Pure.
//
// Delays grow by doubling from `baseMs` to `capMs`. A reset may be over in a second; an overloaded server wants seconds, a slow one more; a name
// that does not exist needs its owner. What is not in the table is settled as it is: asking for a 404 again is rude and in vain.
import type { Answered, FailureCode } from '@avocet/core/plugin'

/** How one kind of trouble is retried. */
export interface RetryClass {
  readonly name:
    | 'transient'
    | 'connect'
    | 'refused'
    | 'timeout'
    | 'server'
    | 'dns'
    | 'tls'
    | 'certificate'
    | 'protocol'
    | 'misdirected'
    | 'rendering'
    | 'throttle'
    | 'blocked'
  /** The first delay is at most so long, each further one at most twice as long as the one before; of `blocked` every delay is at least so long. */
  readonly baseMs: number
  /** No delay is longer. */
  readonly capMs: number
  /** Attempts in all, where the trouble allows fewer than the user does. */
  readonly maxAttempts?: number
  /** Failures in a row of the host from which this may be an outage, and not the page's fault. Absent = never. */
  readonly outageFrom?: number
  /** No page can bring it about: there was no connection. */
  readonly hostOnly?: boolean
  /** In an outage the first delay is at most so long. Default 5 s. */
  readonly outageMs?: number
  /** Attempts of one page in outages that do not count. Default 1,000. */
  readonly outageAttempts?: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const TRANSIENT: RetryClass = { name: 'transient', baseMs: SECOND, capMs: 5 * MINUTE, outageFrom: 3 }
/** A page that ends too early comes from a host that answers: however many of them there are, it is not down. */
const CUT: RetryClass = { name: 'transient', baseMs: SECOND, capMs: 5 * MINUTE }
const CONNECT: RetryClass = { name: 'connect', baseMs: 10 * SECOND, capMs: 15 * MINUTE, outageFrom: 3, hostOnly: true }
/** Nobody listens: a restart takes a minute. */
const REFUSED: RetryClass = { name: 'refused', baseMs: MINUTE, capMs: 15 * MINUTE, outageFrom: 3, hostOnly: true }
const TIMEOUT: RetryClass = { name: 'timeout', baseMs: 10 * SECOND, capMs: 30 * MINUTE, outageFrom: 3 }
const SERVER: RetryClass = { name: 'server', baseMs: 5 * SECOND, capMs: 15 * MINUTE, outageFrom: 3 }
/** A 500 is most often one broken page: fewer attempts, and more of them in a row before the host is to blame. */
const BROKEN: RetryClass = { ...SERVER, maxAttempts: 2, outageFrom: 10 }
const THROTTLE: RetryClass = { name: 'throttle', baseMs: SECOND, capMs: 5 * MINUTE }
const DNS: RetryClass = { name: 'dns', baseMs: 10 * MINUTE, capMs: 6 * HOUR, maxAttempts: 2 }
const NAME_SERVER: RetryClass = { name: 'dns', baseMs: 10 * SECOND, capMs: 30 * MINUTE, outageFrom: 3, hostOnly: true }
/** Renewed by hand or by a nightly job. Forty attempts with up to an hour between are a day and more; then it is as its owner wants it. */
const CERTIFICATE: RetryClass = {
  name: 'certificate',
  baseMs: 5 * MINUTE,
  capMs: HOUR,
  maxAttempts: 1,
  outageFrom: 1,
  hostOnly: true,
  outageAttempts: 40,
}
const TLS: RetryClass = { name: 'tls', baseMs: 10 * SECOND, capMs: 15 * MINUTE, maxAttempts: 2 }
const PROTOCOL: RetryClass = { name: 'protocol', baseMs: SECOND, capMs: 5 * MINUTE, maxAttempts: 2 }
/** Sent over a connection to the wrong server: once more, over a fresh one (RFC 9110 §15.5.20). */
const MISDIRECTED: RetryClass = { ...PROTOCOL, name: 'misdirected' }

/** A tab that crashed, or did not react: its page may be to blame, or this machine, which ends tabs first when it is short of memory. */
const RENDERING: RetryClass = { name: 'rendering', baseMs: MINUTE, capMs: 5 * MINUTE, maxAttempts: 2 }

/** A name that resolved before: its zone is being repaired, or a resolver remembers the wrong answer. */
export const RESOLVED_BEFORE: RetryClass = { ...DNS, capMs: HOUR, outageFrom: 1, hostOnly: true, outageMs: MINUTE / 2 }

/**
 * Only where core suspects that the host keeps us out (`HostView.blocking`). Ten minutes is the default of fail2ban, and as long a breaker waits. Four
 * attempts, for while a longer ban stands each probe costs the page that it is made with one.
 */
export const BLOCKED: RetryClass = { name: 'blocked', baseMs: 12 * MINUTE, capMs: 15 * MINUTE, maxAttempts: 4 }

/**
 * The second in a row, which may still be two private pages side by side: it is requested soon, to find out. If pages were served meanwhile, it is
 * private; if not, this was one request too many to a host that bans. A small crawl need not wait for a quarter of an hour to end.
 */
export const DOUBTFUL: RetryClass = { ...BLOCKED, baseMs: MINUTE, capMs: 1.5 * MINUTE }

const BY_CODE: Readonly<Partial<Record<FailureCode, RetryClass>>> = {
  AVO_RESET: TRANSIENT,
  AVO_CLOSED_EARLY: TRANSIENT,
  AVO_TRUNCATED: CUT,
  // What was there of it is forgotten: the next attempt asks for all of it.
  AVO_FILE_RANGE: CUT,
  AVO_STALE_SOCKET: TRANSIENT,
  AVO_CONNECT_TIMEOUT: CONNECT,
  AVO_UNREACHABLE: CONNECT,
  AVO_CONNECT_FAILED: CONNECT,
  AVO_CONNECT_REFUSED: REFUSED,
  AVO_FIRST_BYTE_TIMEOUT: TIMEOUT,
  AVO_IDLE_TIMEOUT: TIMEOUT,
  AVO_TOTAL_TIMEOUT: TIMEOUT,
  AVO_TOO_SLOW: TIMEOUT,
  AVO_DNS_NOT_FOUND: DNS,
  AVO_DNS_FAILED: NAME_SERVER,
  AVO_TLS_CERTIFICATE: CERTIFICATE,
  AVO_TLS_INTERMEDIATE: CERTIFICATE,
  AVO_TLS_FAILED: TLS,
  AVO_PROTOCOL: PROTOCOL,
  AVO_INTERIM_FLOOD: PROTOCOL,
  AVO_BROWSER_PAGE: RENDERING,
}

const BY_STATUS: Readonly<Record<number, RetryClass | undefined>> = {
  408: SERVER,
  421: MISDIRECTED,
  425: SERVER,
  429: THROTTLE,
  500: BROKEN,
  // Not implemented, version not supported, network login: no server changes its mind about these.
  501: undefined,
  503: THROTTLE,
  505: undefined,
  511: undefined,
}

/**
 * How an answer of this status is retried; undefined = not at all.
 *
 * @example
 * ```ts
 * classOfStatus(502)?.name // 'server'
 * ```
 */
export function classOfStatus(status: number): RetryClass | undefined {
  if (status in BY_STATUS) return BY_STATUS[status]
  return status >= 500 && status < 600 ? SERVER : undefined
}

/**
 * How an answer is retried; undefined = not at all. A forbidden page is requested again only where it may be one of a ban: most are private.
 *
 * @example
 * ```ts
 * const plugin = definePlugin({ name: 'again', onResponse: (answer) => void classOfAnswer(answer)?.name })
 * ```
 */
export function classOfAnswer({ exchange, response, wanted, forbidden }: Answered): RetryClass | undefined {
  if (wanted) return undefined
  if (!forbidden) return classOfStatus(response.status)
  const { inRow, isSuspected } = exchange.host.blocking
  if (!isSuspected) return undefined
  return inRow === 2 && exchange.request.attempts === 0 ? DOUBTFUL : BLOCKED
}

/**
 * How a failure of this code is retried; undefined = not at all.
 *
 * @example
 * ```ts
 * classOfFailure('AVO_BODY_TOO_LARGE') // undefined
 * ```
 */
export function classOfFailure(code: FailureCode): RetryClass | undefined {
  return BY_CODE[code]
}
