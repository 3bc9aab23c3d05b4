// Port: where the page gets what it shows of one crawl, which runs in this process or is read from its store.
//
// A page that is open asks four times a second, so that each answer has to be cheap: what costs more than a millisecond is kept for a while by the source.
import type { Control } from '@avocet/core/tools'
import type {
  CrawlHead,
  CrawlLine,
  FailuresPicture,
  HostLines,
  HostPicture,
  ItemsPicture,
  NowPicture,
  PolitenessSheet,
  UrlPicture,
} from './picture.ts'
import type { History } from './series.ts'
import type { ViewWish } from './view-wish.ts'

/** Which hosts are wanted. */
export type HostsWish = Pick<ViewWish, 'search' | 'sort' | 'state' | 'from' | 'count'>

/** One crawl. What a call throws is shown as trouble, and asked again. */
export interface CrawlSource {
  head(): Promise<CrawlHead>
  now(): Promise<NowPicture>
  /** The last hour, day and week, and the whole time; empty until it was read. */
  history(): Promise<History>
  hosts(wish: HostsWish): Promise<HostLines>
  /** Undefined: the crawl does not know it. */
  host(hostKey: string): Promise<HostPicture | undefined>
  url(url: string): Promise<UrlPicture>
  items(): Promise<ItemsPicture>
  failures(): Promise<FailuresPicture>
  politeness(hostKey: string): Promise<PolitenessSheet | undefined>
}

/** A crawl that is shown, and what can be done to it. */
export interface ShownCrawl {
  readonly source: CrawlSource
  readonly steering: Steering
}

/** All crawls that are shown. */
export interface CrawlShelf {
  crawls(): Promise<readonly CrawlLine[]>
  /** Undefined: there is none of this name. */
  crawl(id: string): Promise<ShownCrawl | undefined>
}

// Port: what can be done to a crawl from the page. Only what a steering offers is shown.

/** Which given-up pages: one page, a class, those of a host; none of them: all temporary failures. */
export interface WhichPages {
  readonly url?: string
  readonly failureClass?: string
  readonly hostKey?: string
}

/** An action: an order of an operator, or that given-up pages wait again, or are dropped. */
export type SteeringAction =
  | Exclude<Control, { readonly kind: 'accept-held' }>
  | ({ readonly kind: 'reopen' } & WhichPages)
  | ({ readonly kind: 'drop' } & WhichPages)

/** Name of an action. */
export type SteeringKind = SteeringAction['kind']

/** The port. */
export interface Steering {
  /** What can be done, now. */
  readonly offers: readonly SteeringKind[]
  /** Does it, and says in one line what was done. Throws AvocetError where it cannot be done. */
  act(action: SteeringAction): Promise<string>
}
