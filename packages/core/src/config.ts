// Everything that a crawl can be told, with its defaults.
import type { Clock } from './clock.ts'
import type { Fetcher, SizeLimits, TimeLimits } from './fetcher.ts'
import type { Frontier } from './frontier.ts'
import type { HostsOptions } from './host-options.ts'
import type { Plugin } from './plugin.ts'
import type { Spider } from './spider.ts'
import type { DiscoveryLimits } from './discovery-limits.ts'

/** Which pages are visited again and again. Of several rules the first that matches counts. */
export interface RecrawlRule {
  /** From one visit being due to the next. Infinity: never again, for pages that a later rule would match. */
  readonly everyMs: number
  /** A pattern of URLs, or the name of the handler whose pages are meant. Absent: all pages. */
  readonly match?: RegExp | string
  /**
   * A page that is missing (404, 410) or has moved for good (301, 308) keeps its schedule until it was so in this many visits in a row, 410 counting
   * for two. Default 3.
   */
  readonly goneAfterVisits?: number
  /** The least time from the first of those visits to the last. Default 86,400,000, which is a day. */
  readonly goneAfterMs?: number
  /** Keep asking for such pages, however long they are missing. Default false. Excludes `goneAfterVisits` and `goneAfterMs`. */
  readonly keep?: boolean
}

/** What a crawl can be told. Only the spider is needed. */
export interface CrawlConfig<Item = unknown> {
  /** What is looked for, and where. */
  readonly spider: Spider<Item>
  /** Where known URLs, memory and items live. Default: in RAM, gone at the end. */
  readonly frontier?: Frontier
  /** How hosts are treated; their order means nothing but for `onItem`. Default: core's own politeness alone; the command has `polite()`. */
  readonly plugins?: readonly Plugin[]
  /** Say who you are and where to complain: `name (+https://your.example/bot)`. */
  readonly userAgent?: string
  /** Sent with every request to the origins of seeds (scheme, host and port), and over their schemes to `scope.hosts`; to no other origin. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Names of query parameters whose values are secret, in upper or lower case: `__secret__` stands for them in the store, to handlers and plugins, and in all
   * that is written or printed. A secret says who asks, not what is asked for: URLs that differ in it alone are one page. Names once given hold for the
   * store. Default: none.
   */
  readonly secretParameters?: readonly string[]
  /** Slots: exchanges under way at once, over all hosts. Default 100. */
  readonly concurrency?: number
  /** Exchanges in flight at one host, at most. Default 1; without a limit where a plugin paces. */
  readonly maxPerHost?: number
  /**
   * Start-to-start spacing at one host, at least. Default 1,000; 0 where a plugin paces. Of the default politeness 0 also drops the end-to-start spacing.
   */
  readonly delayMs?: number
  /**
   * Statuses that a ban comes with, from 400 up: one such answer is a private page, a row of them keeps us out. Those that the spider accepts are pages
   * all the same; 429 and 503 ask for a slower pace and cannot be among them. An empty list watches for no bans. Default 401, 403, 407, 451, 999.
   */
  readonly blockedStatuses?: readonly number[]
  /** What single hosts may be told: by host key, `*.shop.example` or `*`; the most specific pattern counts. */
  readonly hosts?: HostsOptions
  /** The crawl ends when nothing is in flight and the next thing to do is further away than this. Default 15 min. */
  readonly patienceMs?: number
  /** How long to wait for a store that cannot be used for a time (full disk, lock, I/O error), also when it is opened, before the run fails. Default Infinity: until it is stopped. */
  readonly storePatienceMs?: number
  /** Pages to visit again and again. A crawl that has some does not end by itself: `maxTimeMs`, `maxPages` or a stop end it. Default: none. */
  readonly recrawl?: readonly RecrawlRule[]
  /** Pages that handlers accept in this run, at most. */
  readonly maxPages?: number
  /** Duration of this run, at most. */
  readonly maxTimeMs?: number
  /**
   * Allow private addresses everywhere. Default false: only where a seed or the scope has an IP address or `localhost`, or a name that led to a private
   * address when the crawl was made, and where `hosts` says so.
   */
  readonly allowPrivate?: boolean
  /** What counts as one host for politeness. Default `host`: name plus non-default port. */
  readonly hostKeying?: 'host' | 'domain'
  /** Handlers under way at once. Default 64. */
  readonly maxHandlers?: number
  /** Deadline of one handler. Default 60,000. */
  readonly handlerTimeoutMs?: number
  /** Items and links of one page, at most. Default 100,000. */
  readonly maxYields?: number
  /** How `page.$` parses: `parse5` as browsers do (default), or `fast` (htmlparser2, twice as quick, less exact on broken markup). */
  readonly html?: 'parse5' | 'fast'
  /** Hard maxima, whatever plugins say. */
  readonly timeLimits?: Partial<TimeLimits>
  /** Hard maxima of what is read. */
  readonly sizeLimits?: Partial<SizeLimits>
  /** How many new URLs pages, hosts and sites may add, and whether patterns that repeat are closed. */
  readonly discoveryLimits?: Partial<DiscoveryLimits>
  /**
   * Memory for all bodies together: being read or decoded, and of pages whose handlers run. Near it large bodies wait unread; when none can go on the
   * largest is let go of and asked for again later. An eighth is kept for bodies up to 1/2,048 of it (128 KiB). A body that takes more than a quarter of it fails for good. Default 268,435,456 (256 MiB).
   */
  readonly bodyBudgetBytes?: number
  /**
   * Who finds the addresses of host names: `dns` asks the system's name servers, `system` has the system ask (getaddrinfo), for sources that it alone
   * knows (LDAP, a VPN's split DNS); there, twelve names whose name server is dead hold up all others. Default `dns`.
   */
  readonly resolver?: 'dns' | 'system'
  /** Name servers to ask instead of the system's, by address: `192.0.2.53` or `192.0.2.53:5353`. */
  readonly nameServers?: readonly string[]
  /** How long a stop waits for what is in flight. Default 30,000. */
  readonly drainMs?: number
  /** Seed of all chance. Default: drawn from `crypto`. */
  readonly randomSeed?: string
  /** Default: the machine's. A virtual one makes a test of days run in seconds. */
  readonly clock?: Clock
  /** What turns requests into responses. Default: undici. */
  readonly fetcher?: Fetcher
}

/**
 * Declares a crawl: the identity function, for the types. The default export of `avocet.config.ts`.
 *
 * @example
 * ```ts
 * export default defineCrawl({ spider: priceWatch, userAgent: 'price-watch (+https://example.org/bot)', concurrency: 200 })
 * ```
 */
export function defineCrawl<Item>(config: CrawlConfig<Item>): CrawlConfig<Item> {
  return config
}

/** Time limits of an exchange that no plugin tightened. */
export const DEFAULT_TIME_LIMITS: TimeLimits = {
  connectMs: 15_000,
  firstByteMs: 30_000,
  idleMs: 30_000,
  totalMs: 180_000,
  minBytesPerSecond: 64,
}

/** Size limits of an answer. */
export const DEFAULT_SIZE_LIMITS: SizeLimits = {
  maxWireBytes: 10 * 2 ** 20,
  maxDecodedBytes: 32 * 2 ** 20,
  maxDecodeRatio: 200,
  maxCodings: 2,
  maxHeaderBytes: 64 * 2 ** 10,
  maxHeaderFields: 500,
  maxInterim: 16,
}

/** Bytes of all bodies together: what a hundred hostile ones may cost. */
export const DEFAULT_BODY_BUDGET_BYTES: number = 256 * 2 ** 20
