// What one run of a crawl is made of: what its opening and its end have in common.
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Memories } from '../hosts/memories.ts'
import type { Recrawl } from '../recrawl/recrawl.ts'
import type { Settings } from './settings.ts'
import type { Stations } from '../hooks/stations.ts'
import type { StoreCalls } from '../store/store-calls.ts'
import type { Tally } from './tally.ts'

/** The parts of a run that live as long as it does. */
export interface RunParts {
  readonly settings: Settings
  readonly hooks: CrawlHooks
  readonly memories: Memories
  readonly stations: Stations
  readonly tally: Tally
  readonly calls: StoreCalls
  readonly recrawl: Recrawl
}
