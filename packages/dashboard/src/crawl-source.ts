// Port: where the page gets what it shows of one crawl, which runs in this process or is read from its store.
//
// A page that is open asks four times a second, so that each answer has to be cheap: what costs more than a millisecond is kept for a while by the source.
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
import type { Steering } from './steering.ts'
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
