// Port: turns one exchange into one response or one failure. Sockets, DNS and TLS are behind it alone.
import type { Clock } from './clock.ts'
import type { ResponseHead, SavedBody, Response } from './response.ts'
import type { Socket } from 'node:net'
import type { Failure } from './failure.ts'

/** Time limits of one exchange. Plugins' limits combine by min; a phase that nobody answers takes the default. */
export interface TimeLimits {
  /** Name, connection and TLS. Default 15,000. */
  readonly connectMs: number
  /** From the request to the response headers. Default 30,000. */
  readonly firstByteMs: number
  /** Longest pause between two pieces of the body. Default 30,000. */
  readonly idleMs: number
  /** The whole exchange, from dispatch to the last byte. Default 180,000. */
  readonly totalMs: number
  /** Least throughput of the body, averaged over 30 s. Default 64. */
  readonly minBytesPerSecond: number
}

/** Size limits, the same for every exchange of a crawl. */
export interface SizeLimits {
  /** Of a body as it comes. Default 10 MiB. */
  readonly maxWireBytes: number
  /** Of a body once it is decoded. Default 32 MiB. */
  readonly maxDecodedBytes: number
}

/** With which a client shows who it is, as PEM. A connection that was opened with one serves no request without it. */
interface ClientCertificate {
  readonly cert: string
  readonly key: string
  /** Of the key. */
  readonly passphrase?: string
}

/** A proxy. */
export interface ProxyServer {
  /** Scheme, host and port, without credentials: how the proxy is called in reports. */
  readonly url: string
  /** Tells proxies apart that differ in the user name alone, as the exits of one provider do: the URL, with a digest of the name where there is one. */
  readonly id: string
  readonly kind: 'http' | 'https' | 'socks5'
  readonly hostname: string
  readonly port: number
  /** Absent: the proxy is used without a name. */
  readonly username?: string
  readonly password?: string
}

/** What the fetcher is to send. */
export interface Outbound {
  /** In WHATWG form, without a fragment or credentials, as `Request.url`. */
  readonly url: string
  /** In capitals. */
  readonly method: string
  /** Lower-case names, complete but for what the connection itself needs (host, connection, content-length). */
  readonly headers: Readonly<Record<string, string>>
  /** UTF-8. */
  readonly body?: string | undefined
  /** Bytes of the body that are wanted. The rest is discarded without a failure. Only of a body without content codings. */
  readonly keepBytes?: number | undefined
  /** Maximum bytes of the body on the wire and decoded, where that is more than the fetcher's own limits. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Takes the body, as it comes, of a response that it accepts. It is not decoded, and has no `totalMs`. While the saver has no
   * room, it is not read.
   */
  readonly save?: BodySaver | undefined
  /** A browser is to render it. */
  readonly render?: true | undefined
  /** Name of the session that it belongs to; absent: that of its host. */
  readonly session?: string | undefined
  /** Of this exchange. */
  readonly limits: TimeLimits
  /** Whether a private address may be connected to: only where the user meant one. */
  readonly privateAllowed: boolean
  /** HTTP/2 where the server offers it. */
  readonly http2?: boolean
  /** Through which proxy; its own address may be private, for the user named it. Absent: none. */
  readonly proxy?: ProxyServer | undefined
  /** For the server, also behind a proxy. Absent: none. */
  readonly certificate?: ClientCertificate | undefined
}

/** What to do with the body: read it, or discard it (≤ 64 KiB drained to keep the connection, else the socket is destroyed). */
export type BodyWish = 'read' | 'discard'

/**
 * Receives one exchange. All callbacks are synchronous and none may throw.
 *
 * Order: `sent` (at most once), `headers` (at most once), then exactly one of `done` and `failed`.
 * After `headers` answered `discard`, `done` comes at once with an empty body, in the same tick, and nothing after it.
 * After `abort`, nothing is called any more.
 */
export interface FetchReceiver {
  /** The first byte of the request is being written: from now on the server may have seen it. */
  sent(): void
  /** Status and header fields came. The answer says what to do with the body. */
  headers(head: ResponseHead): BodyWish
  /** The body is whole. */
  done(response: Response): void
  /** There is no response, or none that is whole. */
  failed(failure: Failure): void
}

/** Where a connection is to lead that somebody else speaks on. */
interface DialTarget {
  /** An IPv6 address has no brackets. */
  readonly hostname: string
  readonly port: number
  /** One request in the clear follows. An HTTP proxy forwards that; for everything else it opens a tunnel. */
  readonly isPlain: boolean
  readonly privateAllowed: boolean
  readonly proxy?: ProxyServer | undefined
  /** Gives up. Nothing else does: a name, a host or a proxy may take as long as it likes. */
  readonly signal: AbortSignal
}

/** A connection: to the host, or to a proxy that forwards. */
export interface Dialled {
  readonly socket: Socket
  /** There if a proxy is at the other end, which wants the whole URL in the first line of the request, and these fields. */
  readonly proxyFields?: Readonly<Record<string, string>>
}

/** What all bodies hold of one budget, from their first byte on; pages in handlers go on counting. */
interface BodyBudget {
  readonly totalBytes: number
  /** Held by all; 0 when nothing is in flight or in progress. */
  readonly heldBytes: number
  /** So many bytes more are in RAM. */
  acquire(bytes: number): void
  release(bytes: number): void
  /** So many bytes of one body are garbage from now on. */
  leaveBehind(bytes: number): void
}

/** The port. Its contract suite is `fetcherContract` in @avocet/testkit. */
export interface Fetcher {
  /** Gives what ends the exchange. Before `sent` no byte reaches the server then. Harmless when the exchange is over. */
  fetch(outbound: Outbound, receiver: FetchReceiver): () => void
  /** A connection by the rules of `fetch`. Without it a browser loads nothing beside its documents. */
  dial?(target: DialTarget): Promise<Dialled>
  /** IP address that a connection to `hostname` would lead to; '' where nobody knows; undefined: ask again. */
  addressOf?(hostname: string): string | undefined
  /** Open connections, and how many of them are in use: for the status of a crawl, so it must be cheap. */
  connections?(): { readonly open: number; readonly busy: number }
  /** There if it renders pages. */
  readonly rendering?: Rendering
  /** What its bodies are counted in until `done` has returned; the crawl counts those that it keeps in the same. */
  readonly bodyBudget?: BodyBudget
  /** Closes idle connections and destroys the others. */
  close(): Promise<void>
}

// Port: takes the body of one response piece by piece, so that it is never whole in memory.

/**
 * Saves the body of one exchange. Its calls are synchronous, and none may throw.
 *
 * Order: `accepts` once, at the headers of a final 2xx response that may have a body; if it answers `save`: `write` any number of times, then exactly one of
 * `end` and `abort`. An exchange that ends before `accepts` never calls it, so it opens nothing before that. What was ended is finished by the saver alone,
 * also if the exchange is aborted meanwhile: then nobody hears its outcome.
 *
 * A failure that it reports ends the exchange: the exchange adds what it knows itself (`phase`, `sent`, `wireBytes`, `timings`).
 */
export interface BodySaver {
  /** Fields that the request needs for it, in lower case: no content coding, and the range of what is missing. They replace those of the request. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of the body on the wire at most; beyond that the exchange fails with AVO_BODY_TOO_LARGE. It replaces the fetcher's limits. */
  readonly maxBytes: number
  /** `save`: it takes the body. `read`: the body is handled as any other. A failure: that is not what was wanted, and none of the body is read. */
  accepts(head: ResponseHead): 'save' | 'read' | Failure
  /**
   * Takes the next piece, as it came over the wire; it may be kept. False: send no more until it has drained. What the server sent before it closed the
   * connection may still come then. A failure: it cannot be saved, and `abort` follows.
   */
  write(piece: Uint8Array): boolean | Failure
  /** Calls back once when there is room again, or with why there will be none; asked after a `write` that was false. */
  drained(callback: (trouble?: Failure) => void): void
  /** The body is complete. A failure of this machine, such as a full disk, is AVO_FILE_UNWRITABLE: the request waits, uncounted, and nobody is blamed. */
  end(done: (outcome: SavedBody | Failure) => void): void
  /** The exchange ended without the whole body. What can be resumed is kept. */
  abort(): void
}

/** The part of a fetcher that has pages built by a browser. */
interface Rendering {
  /** Whether it has the page of a request built: because that says so, or by a rule of its own. */
  wants(request: Pick<Outbound, 'url' | 'body'> & { readonly method?: string; readonly render?: unknown }): boolean
  /** How many pages it has, where it has room for no more: hosts whose next page is one of them wait, without a slot. */
  readonly fullAt: number | undefined
}

/**
 * A fetcher in place of that of the crawl, which renders some pages and leaves the rest to it: in the configuration of a crawl,
 * `browser: browser({ rules: […] })` of `@avocet/fetcher-browser`. Its `close` closes both. Throws AVO_BROWSER_MISSING where there is no browser.
 */
export type Browser = (surroundings: { readonly http: Fetcher; readonly clock: Clock; readonly limits: SizeLimits }) => Fetcher
