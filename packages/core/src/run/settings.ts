// The configuration with its defaults filled in: what the crawl goes by.
import type { Fetcher } from '../ports/fetcher.ts'
import type { Clock } from '../ports/clock.ts'
import type { CrawlConfig, DEFAULTS } from '../ports/config.ts'
import type { DocumentHandler } from '../ports/document-handler.ts'
import type { Frontier } from '../ports/frontier.ts'
import type { HostOptions } from '../ports/host-options.ts'
import type { CrawlOrders } from '../ports/orders.ts'
import type { PageOf } from '../ports/page.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Ports } from '../ports/ports.ts'
import type { LoopBudget } from '../process/loop-budget.ts'
import type { LateCodec, Late } from './late-codec.ts'
import type { Sink } from '../ports/sink.ts'
import type { Spider } from '../ports/spider.ts'
import type { DroppedParameters } from '../url/dropped-parameters.ts'

/** What a named session sends in place of the crawl. */
export interface SentBySession {
  /** To the same origins as those of the crawl. */
  readonly headers: Readonly<Record<string, string>>
  /** To every origin. */
  readonly userAgent?: string
}

/** Options with a value where nobody gives one: that of `DEFAULTS`, or no limit, or chance. */
type Filled = Omit<typeof DEFAULTS, 'sizeLimits'> &
  Required<Pick<CrawlConfig, 'storePatienceMs' | 'maxPages' | 'maxTimeMs' | 'offersSeeds' | 'randomSeed'>>

/** A configuration without holes. */
export interface Settings extends Filled {
  readonly spider: Spider
  readonly frontier: Frontier
  readonly fetcher: Late<Fetcher>
  readonly pages: Late<PageOf>
  readonly codec: LateCodec
  /** What is removed from each URL. */
  readonly dropped: DroppedParameters
  readonly clock: Clock
  readonly plugins: readonly Plugin[]
  readonly sinks: readonly Sink[]
  /** Makes the delivery to them. */
  readonly deliver: Ports['delivery']
  /** What reads the report. */
  readonly report: Ports['report']
  /** What operators have ordered. */
  readonly orders: Late<CrawlOrders>
  /** Handlers of plugins, by the names that links have for them; they are among the handlers of the spider. */
  readonly documents: ReadonlyMap<string, DocumentHandler>
  readonly headers: Readonly<Record<string, string>>
  /** By name; header fields in lower case. */
  readonly sessions: ReadonlyMap<string, SentBySession>
  readonly blockedStatuses: ReadonlySet<number>
  readonly hostOptions: (hostKey: string) => HostOptions
  /** The options `allowPrivate` and `http2` alone: called for each request. */
  readonly privateOptions: (host: string) => Pick<HostOptions, 'allowPrivate' | 'http2'>
  readonly loop: LoopBudget
}
