// The one door of @avocet/dashboard.
export { crawlFile, type CrawlFileWish } from './server/crawl-file.ts'
export { startDashboard, type Dashboard, type DashboardWish } from './server/dashboard.ts'
export type {
  CrawlShelf,
  CrawlSource,
  HostsWish,
  ShownCrawl,
  Steering,
  SteeringAction,
  SteeringKind,
  WhichPages,
} from './crawl-source.ts'
export type {
  CrawlHead,
  CrawlLine,
  CrawlPhase,
  FailureClass,
  FailuresPicture,
  HandlerErrorLine,
  HoldLine,
  HostLine,
  HostLines,
  HostOrders,
  HostPicture,
  HostSort,
  HostState,
  ItemLine,
  ItemsPicture,
  KnownFacts,
  LivePicture,
  NamedCount,
  NowPicture,
  OrderLine,
  PageLine,
  PolitenessSheet,
  RejectLine,
  SheetText,
  SinkLine,
  UrlPicture,
  WaitGroup,
} from './picture.ts'
export type { PageVisits, VisitedItem } from './page-visits.ts'
export { HISTORY_SPANS, type History, type Series, type SeriesPoint } from './series.ts'
