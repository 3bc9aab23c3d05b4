// What a server answered: the head at its arrival, and the whole with its body and timings.

/** Header fields by lower-case name; a field that came several times is an array, in order. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

/** Status line and header fields, before any of the body. */
export interface ResponseHead {
  /** HTTP status. */
  readonly status: number
  /** By lower-case name. A field that came several times, such as `set-cookie`, is an array. */
  readonly headers: ResponseHeaders
}

/** A body that was saved: whole, synced, and under its final name. */
export interface SavedBody {
  /** Relative to the folder that the saver was made for; `/` between its parts. */
  readonly path: string
  /** Of the whole, hexadecimal. */
  readonly sha256: string
  /** Of the whole, with what earlier exchanges brought. */
  readonly bytes: number
}

/** How long the phases of an exchange took. Durations in ms with a fraction. */
export interface Timings {
  /** DNS, TCP and TLS together; absent on a reused connection. */
  readonly connectMs?: number | undefined
  /** From the request being written to the response headers. */
  readonly firstByteMs: number
  /** From the headers to the last byte of the body. */
  readonly bodyMs: number
  /** Whether it came over a connection that was open already. */
  readonly reusedSocket: boolean
  /** How long the body waited for us: for room in memory (`bodyBudgetBytes`), for the disk, or to be rendered; in none of the others. Absent: it did not. */
  readonly waitedMs?: number | undefined
}

/** A complete answer. The body is decoded from its content codings (gzip, br, …) but not from its charset. */
export interface Response extends ResponseHead {
  /** URL that was requested. */
  readonly url: string
  /** Bytes. Empty when the server sent none, or when they were saved. */
  readonly body: Uint8Array
  /** Bytes of the body as they came over the wire, before decoding. */
  readonly wireBytes: number
  /** How long its phases took. Ms. */
  readonly timings: Timings
  /** Where the body is, for one that a plugin had saved instead of read. */
  readonly saved?: SavedBody | undefined
  /** Picture of the page, as PNG, where a rule of the browser wants one. */
  readonly screenshot?: Uint8Array
  /** True for a rendered page whose scripts requested data of its site, and got 401. */
  readonly unauthorized?: true
  /** How many requests its scripts, styles and frames sent to its own host, beside its document. Absent: none. */
  readonly loads?: number
  /** Address that was connected to, where the fetcher knows it. */
  readonly remoteAddress?: string | undefined
  /** True for an answer that a plugin gave in `beforeRequest` instead of the server. */
  readonly served?: boolean
  /** Of such an answer: when the server gave it, epoch ms, which is the `fetchedAt` of its page. Absent: now. */
  readonly fetchedAt?: number
}

/** The first value of a header field, or undefined. `name` in lower case. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** Whether this is a redirect that is followed. 300 and 304 are not. Source: RFC 9110 §15.4. */
export function isRedirect({ status, headers }: ResponseHead): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers['location'] !== undefined
}
