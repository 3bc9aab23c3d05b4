// What all parts of a run have in common: they live as long as it does.
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Stations } from '../hooks/stations.ts'
import type { Orders } from '../controls/orders.ts'
import type { Memories } from '../hosts/memories.ts'
import type { Recrawl } from '../recrawl/recrawl.ts'
import type { Pause } from '../store/pause.ts'
import type { Deliveries } from '../ports.ts'
import type { StoreCalls } from '../store/store-calls.ts'
import type { TenureWatch } from '../store/tenure-watch.ts'
import type { PageLimit } from './page-limit.ts'
import type { Rendering } from './rendering.ts'
import type { Settings } from './settings.ts'
import type { Tally } from './tally.ts'

/** The common parts of a run. */
export interface Run {
  readonly settings: Settings
  readonly hooks: CrawlHooks
  readonly memories: Memories
  readonly stations: Stations
  readonly tally: Tally
  readonly pause: Pause
  readonly calls: StoreCalls
  readonly sinks: Deliveries
  readonly recrawl: Recrawl
  readonly rendering: Rendering
  readonly pageLimit: PageLimit
  /** What operators have ordered. */
  readonly orders: Orders
  /** Whether what is held may be requested. */
  readonly tenure: TenureWatch
  /** Something that was waited for is there: more may begin, or the crawl may be over. */
  goOn(): void
  /** An operator has ordered the end; `now`: what is in flight is not waited for. */
  stop(now: boolean): void
  /** The crawl cannot continue. */
  fail(error: unknown): void
}
