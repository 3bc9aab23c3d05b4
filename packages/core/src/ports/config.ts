// All options of a crawl, with their defaults.
import type { Browser, Fetcher, SizeLimits, TimeLimits } from './fetcher.ts'
import type { Clock } from './clock.ts'
import type { Frontier } from './frontier.ts'
import type { HostsOptions, SharedLimit } from './host-options.ts'
import type { Plugin } from './plugin.ts'
import type { Sink } from './sink.ts'
import type { Spider } from './spider.ts'
import type { DiscoveryLimits } from './discovery-limits.ts'

/** Pages to recrawl on a schedule. The first rule that matches a page applies. */
export interface RecrawlRule {
  /** Interval between two visits in ms, from due date to due date. `Infinity` excludes pages that a later rule would match. */
  readonly everyMs: number
  /** A pattern that the URL must match, or the name of a handler. Absent: all pages. */
  readonly match?: RegExp | string
  /**
   * Visits in a row that must find a page missing (404, 410) or moved permanently (301, 308) before it leaves the schedule. A
   * 410 counts twice. Default 3.
   */
  readonly goneAfterVisits?: number
  /** Minimum time between the first and the last of those visits. Default 86,400,000 (one day). */
  readonly goneAfterMs?: number
  /** Keep missing pages on their schedule forever. Default false. Excludes `goneAfterVisits` and `goneAfterMs`. */
  readonly keep?: boolean
}

/** How long the store keeps what everybody has, so that a crawl that goes on for years does not fill the disk. `Infinity`: for ever. */
interface KeepOptions {
  /**
   * Items that every sink and output of the run has, and that a later visit of their page has replaced; and rejects. Without
   * sinks and outputs all stay. At least an hour. Default 2,592,000,000 (30 days).
   */
  readonly itemsMs?: number
  /**
   * Changes of watched items that every sink of changes has, except the last one of each item. At least an hour. Default
   * 31,536,000,000 (365 days).
   */
  readonly historyMs?: number
}

/** Options of a crawl. */
export interface CrawlConfig<Item = unknown> {
  /** Seeds, scope and handlers. */
  readonly spider: Spider<Item, unknown>
  /** Store for known URLs, plugin memory and items. Default: in memory, discarded when the process ends. */
  readonly frontier?: Frontier
  /**
   * How hosts are treated: `polite()` of `@avocet/preset-polite`, the default of the command. `[]`: a fixed delay per host, no
   * robots.txt, retries or circuit breaker.
   */
  readonly policies?: readonly Plugin[]
  /**
   * Plugins in addition to the policies. One with a `policy` replaces that policy. Only `onItem` hooks run in array order.
   * Default: none.
   */
  readonly plugins?: readonly Plugin[]
  /**
   * Where committed items go, beside the store: tables, files, queues, or any function. One that fails stops no crawl, and
   * catches up. Default: none.
   */
  readonly sinks?: readonly (Sink<NoInfer<Item>> | Sink)[]
  /** User agent. Say who you are and how to reach you: `name (+https://your.example/bot)`. */
  readonly userAgent?: string
  /** Header fields for the origins of seeds and `scope.hosts`. They are sent to no other origin. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Credentials by origin: `{ 'https://api.example': { bearer: { env: 'API_TOKEN' } } }`; a user with a password, or a client
   * certificate. Values come from environment variables or private files, and are in no store, log or report. Default: none.
   */
  readonly credentials?: Credentials
  /**
   * What requests of named sessions send: header fields, a user agent, a proxy, credentials. A session that is not here has
   * cookies only. Default: none.
   */
  readonly sessions?: Readonly<Record<string, SessionSettings>>
  /**
   * Names of query parameters whose values are secret. `__secret__` replaces the values in the store and in all output. URLs
   * that differ only in a secret are one page. Default: none.
   */
  readonly secretParameters?: readonly string[]
  /** Maximum requests in flight, over all hosts. Default 100. */
  readonly concurrency?: number
  /** Maximum requests in flight per host, whatever rate was learned; `maxInFlight` under `hosts` sets it per host. Default: the rate policy's. */
  readonly maxPerHost?: number
  /** Minimum time between two requests to a host, counted from sending, whatever rate was learned. Default: the rate policy's. */
  readonly delayMs?: number
  /**
   * Statuses of 400 or more that indicate a ban: one is a private page, several in a row are a ban. 402, 429 and 503 cannot be
   * listed. An empty list turns ban detection off. Default 401, 403, 407, 451, 999.
   */
  readonly blockedStatuses?: readonly number[]
  /** Options per host, by host name, `*.shop.example` or `*`. For each option the most specific pattern applies. */
  readonly hosts?: HostsOptions
  /** Limits that hosts have together, under every rate policy. All limits of a host hold. Default: none. */
  readonly limits?: readonly SharedLimit[]
  /** The crawl ends when nothing is in flight and the next request is due later than this. Default 15 min; at least 25 h where hosts have `between`. */
  readonly patienceMs?: number
  /**
   * How long to wait for a store that is temporarily unusable before the run fails. Default `Infinity`; for a store on another
   * machine 10 min.
   */
  readonly storePatienceMs?: number
  /** Pages to recrawl on a schedule. Such a crawl does not end by itself. Default: none. */
  readonly recrawl?: readonly RecrawlRule[]
  /** How long the store keeps what everybody has. */
  readonly keep?: KeepOptions
  /** Maximum pages in this run, also counting those that a handler fails on. */
  readonly maxPages?: number
  /** Maximum duration of this run. */
  readonly maxTimeMs?: number
  /**
   * False: another process of the crawl, with the same seeds, offers what follows the first 5,000 of a list of URLs. Default
   * true.
   */
  readonly offersSeeds?: boolean
  /** Allow connections to private addresses everywhere. Default false: only where a seed, the scope or `hosts` names them. */
  readonly allowPrivate?: boolean
  /** Unit of politeness: `host` (name plus non-default port, default) or `domain` (registrable domain). */
  readonly hostKeying?: 'host' | 'domain'
  /** Maximum handlers running concurrently. Default 64. */
  readonly maxHandlers?: number
  /** Timeout of a handler. Default 60,000. */
  readonly handlerTimeoutMs?: number
  /** Maximum items and links of a page. Default 100,000. */
  readonly maxYields?: number
  /** Hard limits of an exchange; plugins can only tighten them. */
  readonly timeLimits?: Partial<TimeLimits>
  /** Hard limits of a response. */
  readonly sizeLimits?: Partial<SizeLimits>
  /** Limits on new URLs per page, host and site. */
  readonly discoveryLimits?: Partial<DiscoveryLimits>
  /**
   * Memory for all response bodies. When it fills up, large bodies wait unread; if none can proceed, the largest is dropped and
   * requested again later. A body above a quarter of it fails permanently. Default 268,435,456 (256 MiB).
   */
  readonly bodyBudgetBytes?: number
  /**
   * How host names are resolved: `dns` queries the system's name servers; `system` calls getaddrinfo, for sources that only the
   * system knows (LDAP, a VPN's split DNS). Default `dns`.
   */
  readonly resolver?: 'dns' | 'system'
  /** Name servers to query instead of the system's: `192.0.2.53` or `192.0.2.53:5353`. */
  readonly nameServers?: readonly string[]
  /** How long a stop waits for requests in flight. Default 30,000. */
  readonly drainMs?: number
  /** Seed of all random decisions. Default: drawn from `crypto`. */
  readonly randomSeed?: string
  /** Default: the system clock. With a virtual clock a crawl of days takes seconds. */
  readonly clock?: Clock
  /** HTTP client. Default: undici. */
  readonly fetcher?: Fetcher
  /** Fetches pages with a browser: `browser()` of `@avocet/fetcher-browser`. Default: none. */
  readonly browser?: Browser
}

/** What `crawl()` takes: a configuration that says how hosts are treated. */
export interface RunnableConfig<Item = unknown> extends CrawlConfig<Item> {
  readonly policies: readonly Plugin[]
}

/** Options that have a value also where nobody gives one. */
type Defaulted =
  | ('userAgent' | 'concurrency' | 'patienceMs' | 'allowPrivate' | 'hostKeying' | 'maxHandlers')
  | ('handlerTimeoutMs' | 'maxYields' | 'drainMs' | 'bodyBudgetBytes')

/** The defaults of a crawl, by option: `DEFAULTS.concurrency`, `DEFAULTS.timeLimits.connectMs`. */
export const DEFAULTS: Required<Pick<CrawlConfig, Defaulted>> & {
  readonly timeLimits: TimeLimits
  readonly sizeLimits: SizeLimits
  readonly discoveryLimits: DiscoveryLimits
  readonly keep: Required<KeepOptions>
} = {
  userAgent: 'avocet/0.1 (+https://www.npmjs.com/package/@avocet/cli)',
  concurrency: 100,
  patienceMs: 900_000,
  allowPrivate: false,
  hostKeying: 'host',
  maxHandlers: 64,
  handlerTimeoutMs: 60_000,
  maxYields: 100_000,
  drainMs: 30_000,
  timeLimits: { connectMs: 15_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 180_000, minBytesPerSecond: 64 },
  sizeLimits: { maxWireBytes: 10 * 2 ** 20, maxDecodedBytes: 32 * 2 ** 20 },
  // All bodies together: what a hundred hostile ones may cost.
  bodyBudgetBytes: 256 * 2 ** 20,
  discoveryLimits: {
    maxUrlsPerPage: 50_000,
    firstUrlsPerHost: 50_000,
    urlsPerPage: 100,
    maxUnpaidUrlsPerHost: 90_000,
    urlsPerItem: 10,
    maxListedUrlsPerHost: 1_000_000,
    maxHostsPerSite: 200,
  },
  keep: { itemsMs: 2_592_000_000, historyMs: 31_536_000_000 },
}

/** `given` over `defaults`; what is undefined is as if it were not there. */
export function limitsOf<Limits extends object>(
  defaults: Limits,
  given: { readonly [Name in keyof Limits]?: Limits[Name] | undefined } = {},
): Limits {
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(said) }
}

// What a configuration says of credentials and sessions: where their values come from, never the values.

/**
 * Where the value of a secret comes from: an environment variable, or a file that only its owner can read (mode 0600 or 0400). A relative path is relative
 * to the working directory; a line break at the end of the file does not count.
 */
type ValueSource = { readonly env: string } | { readonly file: string | URL }

/** A certificate with which a client shows who it is (RFC 8446 §4.4.2), and its private key, as PEM. */
interface CertificateSource {
  /** The certificate, and those that lead to its issuer. No secret: a file of it may be readable for everybody. */
  readonly cert: ValueSource
  readonly key: ValueSource
  /** Of the key, where it has one. */
  readonly passphrase?: ValueSource
}

/** Credentials for one origin: a token (RFC 6750), a user name with a password (RFC 7617), or a client certificate. */
type Credential =
  | { readonly bearer: ValueSource }
  | { readonly user: string | ValueSource; readonly password: ValueSource }
  | CertificateSource

/** Credentials by origin: `https://api.example`, `https://api.example:8443`. */
type Credentials = Readonly<Record<string, Credential>>

/** What requests of a named session send. */
interface SessionSettings {
  /** Header fields for the origins of seeds and for `scope.hosts`, in place of those with the same names in `headers` of the crawl. */
  readonly headers?: Readonly<Record<string, string>>
  /** User agent of its requests. robots.txt is still read for the user agent of the crawl. */
  readonly userAgent?: string
  /** A proxy, or several, of which the session keeps one; 'direct' for none. For the `avocet` command; in a program, use `proxies()`. */
  readonly proxy?: string | readonly string[]
  /** In place of those of the crawl for the same origins. */
  readonly credentials?: Credentials
}
