// What the wheel of a crawl needs of the run around it.
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Memories } from '../hosts/memories.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import type { Headers } from '../exchange/headers.ts'
import type { DiskWatch } from '../store/disk-watch.ts'
import type { Pause } from '../store/pause.ts'
import type { PrivateRights } from '../exchange/private-rights.ts'
import type { Recrawl } from '../recrawl/recrawl.ts'
import type { Settings } from '../run/settings.ts'
import type { Totals } from '../run/tally.ts'
import type { StoreCalls } from '../store/store-calls.ts'
import type { Traps } from '../traps/traps.ts'
import type { Tally } from '../run/tally.ts'

/** What the wheel needs of the run around it. */
export interface WheelParts {
  readonly settings: Settings
  readonly hooks: CrawlHooks
  readonly memories: Memories
  readonly tally: Tally
  readonly pause: Pause
  readonly calls: StoreCalls
  readonly discoveries: Discoveries
  readonly traps: Traps
  readonly disk: DiskWatch
  readonly headers: Headers
  readonly privateRights: PrivateRights
  readonly recrawl: Recrawl
  readonly totals: Totals
  /** Whether new exchanges may begin, as far as the run is concerned. */
  open(): boolean
  /** A page is done. */
  pageDone(): void
  /** Something happened: is the crawl over? */
  check(): void
  failed(error: unknown): void
}
