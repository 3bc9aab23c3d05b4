// A URL to be visited, in its three forms: as it is discovered, as the frontier hands it out, and as plugins and handlers see it.

/**
 * Identity of a request: the first 16 bytes of SHA-1 over method, canonical URL, body, handler and what the link adds, one byte a character (U+0000 to U+00FF).
 *
 * 64 bits would collide with probability 2.7 % at 10^9 URLs (birthday bound); 128 do not. A byte string costs 0.24 µs and no Buffer.
 */
export type Fingerprint = string & { readonly fingerprint: unique symbol }

/** A request that the frontier may not know yet. `data` and `headers` are JSON text, so that a store need not look inside. */
export interface NewRequest {
  readonly fingerprint: Fingerprint
  readonly hostKey: string
  /** Absolute http(s) URL without a fragment or credentials, as it will be requested. */
  readonly url: string
  readonly handler: string
  /** Number of links between the nearest seed and this; seeds have 0. */
  readonly depth: number
  /** Higher goes first; 0 by default. Integer. */
  readonly priority: number
  readonly method?: string
  readonly headersJson?: string
  readonly body?: string
  readonly dataJson?: string
  /** What else joined the fingerprint, as JSON: a key, header fields, or a session and one of these. The target of a redirect keeps it. */
  readonly identity?: string
  /** Id of the request whose page led here; absent for seeds. */
  readonly parentId?: number
  readonly anchorText?: string
  /** Redirects followed to get here. */
  readonly hops?: number
  readonly redirectedFrom?: string
  /** Epoch ms before which it must not be sent. */
  readonly notBefore?: number
  /**
   * Epoch ms at which a link or a seed asked for a visit in this run. A request that is known is due for its next visit then, unless this run has visited it.
   */
  readonly again?: number
  /** With `again`: only if the request was last fetched before this moment, epoch ms. Not kept. */
  readonly modifiedAt?: number
}

/** What distinguishes an answer from the one before: the validators of conditional requests (RFC 9110 §8.8), and a hash of the body. */
export interface Validators {
  /** As the server sent it, with its quotes; empty: it refuses conditional requests for the page, and gets none. */
  readonly etag?: string
  /** As the server sent it: an HTTP date. */
  readonly lastModified?: string
  /** 64 bits in hexadecimal, of the body of the last good answer. */
  readonly bodyHash?: string
}

/** Visits in a row in which a page was missing (404; 410 counts for two) or had moved for good, with none among them in which it was there. */
export interface Missing {
  /** How many, in a row. */
  readonly visits: number
  /** Epoch ms at which the first of them ended. */
  readonly since: number
}

// What a report says of such pages.

/** A page that was missing (404, 410), or had moved for good (301, 308), when it was last requested. Times are epoch ms. */
interface PageOnProbation {
  /** Its URL. */
  readonly url: string
  /** `http-404`, or `moved to` where. */
  readonly why: string
  /** Of the last answer; 0 when there was none. */
  readonly status: number
  /** When it was missing first. */
  readonly since: number
  /** In how many visits in a row; 410 counts for two. */
  readonly visits: number
  /** When it is requested again. */
  readonly nextAt: number
}

/** Pages on probation: how many, and some of them. */
export interface Probation {
  /** All of them. */
  readonly pages: number
  /** Those that are missing longest, at most 100. */
  readonly requests: readonly PageOnProbation[]
}

/** What is known of the visits that a request has had. */
export interface Earlier extends Validators {
  /** How many were settled: the number of the visit that comes, counted from 0. At least 1. */
  readonly visits: number
  /** Epoch ms at which the visit that comes was, or is, due. */
  readonly dueAt: number
  /** Rounds that were not made so far, because a visit came too late. */
  readonly skipped: number
  /** Absent of a page that was there when it was last requested. */
  readonly missing?: Missing
  /** In how many visits it was believed to be gone, or to have moved for good. Absent of a page that is not. */
  readonly gone?: number
}

/** What a request may be that does not wait. */
export type SettledState = 'done' | 'moved' | 'failed'

/** A request as the frontier hands it out to the holder of its host. */
export interface Leased extends NewRequest {
  /** Unique in this frontier, ascending in the order of discovery. */
  readonly id: number
  /** Attempts that count towards a retry limit. */
  readonly attempts: number
  /** Attempts that do not: refusals, stale sockets, attempts given back. */
  readonly freeAttempts: number
  /** URL of the page that led here. */
  readonly parent?: string
  /** Absent on the first visit. */
  readonly earlier?: Earlier
  /** As what it is settled while it is handed out for another visit. Absent of one that waits. */
  readonly was?: SettledState | undefined
  /** Its page was in progress when two runs died, or more: it is handled while no other page is. Absent otherwise. */
  readonly suspected?: true
  /** URL that the frontier knows it by, when a redirect led to another spelling of it: `url`, which is requested. In RAM only. */
  readonly knownAs?: string
}

/** A request as plugins and handlers see it. Nothing here changes during an exchange. `Data` is what the link passed. */
export interface Request<Data = unknown> {
  /** Unique in the store, ascending in the order of discovery. */
  readonly id: number
  /** Its identity: two links with the same one are one request. */
  readonly fingerprint: Fingerprint
  /** Host name, and port if it is not the default. */
  readonly hostKey: string
  /** Absolute URL without a fragment. Secret values are shown as `__secret__`. */
  readonly url: string
  /** In upper case. */
  readonly method: string
  /** Lower-case names. The fetcher adds what HTTP needs; plugins add theirs in `beforeRequest`. */
  readonly headers: Readonly<Record<string, string>>
  /** As text; absent when the link has none. */
  readonly body?: string | undefined
  /** Name of the handler for its page. */
  readonly handler: string
  /** Number of links between the nearest seed and this; seeds have 0. */
  readonly depth: number
  /** Higher goes first. */
  readonly priority: number
  /** Earlier attempts that count towards a retry limit. */
  readonly attempts: number
  /** Earlier attempts that do not count: refusals, stale sockets, attempts given back. */
  readonly freeAttempts: number
  /** URL of the page that led here; absent for seeds. */
  readonly parent?: string | undefined
  /** Text of the anchor that led here; absent when nobody set one. */
  readonly anchorText?: string | undefined
  /** Redirects followed to get here. */
  readonly hops: number
  /** URL that redirected here. */
  readonly redirectedFrom?: string | undefined
  /** URL that the store knows it by, when a redirect led to another spelling of it. Absent when that is `url`. */
  readonly knownAs?: string | undefined
  /** JSON; undefined when the link passed none. */
  readonly data: Data
  /** The `identity` of its link, and its session, as JSON. Absent where there is none. */
  readonly identity?: string | undefined
  /** Name of the session that it belongs to. Absent: the session of its host, which has no name. */
  readonly session?: string | undefined
  /** Of a login: `url` as events and reports have it. Absent: as it is. */
  readonly shownUrl?: string
  /** Of a document that a plugin requires: the session whose proxy it uses. */
  readonly proxySession?: string
  /** Its link or seed wants it rendered. Absent: the rules of `browser` say whether it is. */
  readonly render?: 'browser' | undefined
  /** Epoch ms at which a link or a seed with `again` asked for this visit; absent of others. */
  readonly again?: number | undefined
  /** The visits before this one; absent on the first. */
  readonly earlier?: Earlier | undefined
}

/** RFC 9110 §9.2.2. A method that is not listed may be anything, and counts as unsafe. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/**
 * Whether sending `method` (upper case) twice means the same as sending it once.
 *
 * @example
 * ```ts
 * isIdempotent('POST') // false
 * ```
 */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method)
}
