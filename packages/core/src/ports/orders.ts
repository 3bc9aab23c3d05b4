// Orders of an operator: what may be ordered of a crawl, and what a run asks of those that its store has.
//
// Each is a row of the store before anybody carries it out. What a row means, and which rows hold, is behind this port; a run holds the crawl or a host.
import type { Frontier } from './frontier.ts'
import type { FrontierReader } from './frontier-reader.ts'
import type { CrawlStatus } from './report.ts'

/** Limits of one host that can be set while a crawl runs, as in `hosts:` of a configuration. */
interface OrderedLimits {
  /** Maximum requests per second. */
  readonly maxRps?: number
  /** Maximum requests in flight. */
  readonly maxInFlight?: number
  /** Minimum time between two requests, in ms. */
  readonly delayMs?: number
}

/** What is to become of them: a number is set, null is as configured again, and what is left out stays. */
export type LimitsChange = { readonly [Name in keyof OrderedLimits]?: number | null }

/** A URL that is added, and the handler of its page; the spider's `start` where none is named. */
interface AddedSeed {
  /** Absolute, with http or https. */
  readonly url: string
  /** As the spider names it. */
  readonly handler?: string
}

/** What an operator may order of a crawl. */
export type Control =
  /** Nothing more is requested until `resume`, also in later runs. Requests in flight finish. */
  | { readonly kind: 'pause' }
  /** Ends a pause of the crawl. Hosts that are paused stay so. */
  | { readonly kind: 'resume' }
  /** The processes that crawl now stop. `now`: they do not wait for requests in flight. The next run is not stopped. */
  | { readonly kind: 'stop'; readonly now?: boolean }
  /** Nothing is requested from this host until `until` (epoch ms); absent: until `resume-host`. */
  | { readonly kind: 'pause-host'; readonly hostKey: string; readonly until?: number }
  /** Ends a pause of this host. */
  | { readonly kind: 'resume-host'; readonly hostKey: string }
  /** Limits of this host, in place of those of the configuration. */
  | { readonly kind: 'limit-host'; readonly hostKey: string; readonly limits: LimitsChange }
  /** Discards what the policies learned of this host: rate, breaker, timeouts, retries. What the host asked for holds, and so does the delay. */
  | { readonly kind: 'forget-host'; readonly hostKey: string }
  /**
   * What becomes of the items of this host that are held. `publish`: what its pages have now is right, and plugins that hold items learn it
   * (`HostView.acceptedAt`). `items`: how many these were, once they are settled.
   */
  | { readonly kind: 'accept-held'; readonly hostKey: string; readonly items?: number }
  /** Adds seeds. Their hosts belong to the crawl from then on. */
  | { readonly kind: 'add'; readonly seeds: readonly AddedSeed[] }

/** Given-up pages that were retried, or dropped. */
export interface GivenUpChange {
  /** Among the orders that are listed. */
  readonly kind: 'given-up'
  /** Retried: they wait again. Dropped: nobody looks at them any more. */
  readonly done: 'retried' | 'dropped'
  /** How many. */
  readonly pages: number
  /** By how many the settled requests became more; negative where they wait again. */
  readonly settled: number
}

/** What holds for one host. */
interface OrdersOfHost {
  /** Epoch ms until which nothing is sent; 0 = it is not paused. */
  readonly pausedUntil: number
  /** In place of those of the configuration. */
  readonly limits: OrderedLimits
  /** When its memory was last to be forgotten, epoch ms; 0 = never. */
  readonly forgottenAt: number
  /** As `HostView.acceptedAt`. */
  readonly acceptedAt: number
}

/** What is new, for who carries it out. */
export interface OrderNews {
  /** Whether the whole crawl is paused, where that was ordered anew. */
  readonly paused?: boolean
  readonly stop?: 'gently' | 'now'
  /** Hosts whose orders are others than before. */
  readonly hosts: readonly string[]
  /** Batches of seeds to offer. */
  readonly seeds: readonly SeedBatch[]
  /** By how many the settled pages became more as given-up ones were dropped; negative: so many wait again. */
  readonly givenUp: number
  /** Held items that were published. */
  readonly published: number
}

/** Added seeds that no run has offered yet. */
export interface SeedBatch {
  readonly at: number
  readonly seeds: readonly AddedSeed[]
}

/** The orders of a crawl, as far as a run has read them. */
export interface CrawlOrders {
  /** Whether all processes of the crawl were ordered to stop, this one among them. */
  readonly areToStop: boolean
  /** Patterns of URLs that are open for good. */
  readonly accepted: ReadonlySet<string>
  /** What holds for a host. */
  ofHost(hostKey: string): OrdersOfHost
  /** Hosts that are paused at `now` (epoch ms), as the status has them. */
  pausedHosts(now: number): Pick<CrawlStatus, 'pausedHosts'>
  /** Reads what is new. `signedInAt`: moment of the last order that stops nobody any more. Throws AVO_FRONTIER_…. */
  hear(reader: FrontierReader, signedInAt?: number): Promise<OrderNews>
  /** Checks an order at once, and gives what writes it into a store. `hidden`: a URL without what nobody is to read. Throws AVO_USAGE. */
  prepared(order: Control | GivenUpChange, hidden: (url: string) => string): (frontier: Frontier, now: number) => Promise<unknown>
}
