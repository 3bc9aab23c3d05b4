// What the wheel of a crawl needs of the run around it.
import type { CrawlHooks } from '../hooks.ts'
import type { Memories } from '../memory.ts'
import type { Discoveries } from './discovery.ts'
import type { Headers } from './headers.ts'
import type { DiskWatch } from './disk-watch.ts'
import type { Pause } from './pause.ts'
import type { PrivateRights } from './private-rights.ts'
import type { Recrawl } from './recrawl.ts'
import type { Settings } from './settings.ts'
import type { Totals } from './status-of.ts'
import type { StoreCalls } from './store-calls.ts'
import type { Traps } from '../traps/traps.ts'
import type { Tally } from './tally.ts'

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
