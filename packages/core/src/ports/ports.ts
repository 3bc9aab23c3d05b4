// The parts of a crawl that core does not bring. The package `avocet` composes them.
import type { Clock } from './clock.ts'
import type { Codec, CodecWish } from './codec.ts'
import type { CrawlConfig, DEFAULTS } from './config.ts'
import type { Fetcher, SizeLimits } from './fetcher.ts'
import type { Frontier, NewItem } from './frontier.ts'
import type { FrontierReader } from './frontier-reader.ts'
import type { CrawlOrders } from './orders.ts'
import type { PageOf } from './page.ts'
import type { Plugin } from './plugin.ts'
import type { StoredReport } from './report.ts'
import type { SinkStatus } from './sink-record.ts'
import type { Sink } from './sink.ts'

/** What an HTTP client is made with. */
interface FetcherWish {
  readonly clock: Clock
  /** Memory for all bodies, which the handlers of the crawl count on as well. */
  readonly bodyBudgetBytes: number
  readonly limits: SizeLimits
  readonly resolver?: 'dns' | 'system'
  readonly nameServers?: readonly string[]
}

/** What the delivery to sinks is made with. Without sinks it removes what is old from the store, and delivers nothing. */
interface DeliveryWish {
  readonly sinks: readonly Sink[]
  readonly frontier: Frontier
  readonly clock: Clock
  readonly keep: (typeof DEFAULTS)['keep']
  /** Pages are visited again, until somebody ends the crawl. */
  readonly isRevisiting: boolean
  /** Makes a call to the store, with patience. */
  make<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer>
  /** Virtual time stands still while a sink works. */
  hold(name: string): Disposable
  /** Resolves in a turn of the event loop that has room for so many rows. */
  room(rows: number): Promise<void>
  /** From 0 to 1, the same for the same salt. */
  chance(salt: string): number
  /** Tells a person. */
  problem(message: string): void
  /** Tells a person that nothing is wrong. */
  notice(message: string): void
  /** A text that somebody will read, without what nobody is to read. */
  hidden(message: string): string
  /** The store cannot be used. */
  fail(error: unknown): void
}

/** Until when to deliver what is there. */
interface DeliveryEnd {
  /** Epoch ms. */
  readonly until: number
  readonly interrupted: boolean
  /** Nothing is left of the crawl: an output that another process has not written to the end is waited for. Default: that one goes on with the crawl. */
  readonly isDone?: boolean
  /** All processes were ordered to stop: what the others commit until they have is waited for. */
  readonly isOrdered?: boolean
}

/** The deliveries to all sinks of a run: opened before the first request, told of every commit, and given a while at the end. */
export interface Deliveries {
  /** How far each is; undefined when there are no sinks. */
  readonly status: readonly SinkStatus[] | undefined
  /** Opens them all. Rejects with AVO_SINK_OPEN, with the name of one that cannot be opened and never could; then none is open. */
  open(): Promise<void>
  /** Items were committed, beside held ones that were published, and changes. They are read from the store, behind the mark of each sink. */
  committed(items: readonly NewItem[], beside: { readonly published: number; readonly changes: number }): void
  /** Waits for them until then, and closes them. */
  finish(end: DeliveryEnd): Promise<void>
  /** Waits for them no longer. */
  letGo(): void
}

/** What a report has from the store, as of `now`, epoch ms. `plugins`: those whose findings are told. */
type ReadReport = (reader: FrontierReader, plugins: readonly Plugin[], moment: { readonly now: number }) => Promise<StoredReport>

/** What a crawl is made of where its configuration names nothing else. */
export interface Ports {
  /** A store that is empty. */
  frontier(): Frontier
  /** An HTTP client, made when the crawl begins. Rejects with AVO_NODE_TOO_OLD or AVO_CONFIG_INVALID. */
  fetcher(wish: FetcherWish): Promise<Fetcher>
  /** What makes pages of responses, loaded when the crawl begins. */
  pages(): Promise<PageOf>
  /** What reads the report of all runs. Asked when the crawl begins, too: while it runs for weeks, its packages may be replaced. */
  report(): Promise<ReadReport>
  /** What operators order, as its store has it: made when the crawl begins. */
  orders(): Promise<CrawlOrders>
  /** Hides values, loaded where a crawl has some to hide. Rejects with AVO_CONFIG_CREDENTIALS. */
  codec(wish: CodecWish): Promise<Codec>
  /** Delivers items, and removes old ones from the store: loaded where a crawl has sinks, or visits pages again. */
  delivery(wish: DeliveryWish): Promise<Deliveries>
  /** The plugins that run: policies, those that follow from other options, and `plugins`. Throws AVO_CONFIG_INVALID. */
  plugins(config: CrawlConfig): readonly Plugin[]
}
