// What core's own memory says of a crawl that nobody runs: for those who read stores.
import { explainHost } from '../hooks/explain-host.ts'
import type { CoreHostMemory, CoreCrawlMemory } from '../hosts/core-memory.ts'
import { crawlTextOf } from '../hosts/crawl-texts.ts'
import { RefusedLinks } from '../hosts/refused-links.ts'
import { lastRounds } from '../hosts/rounds.ts'
import { blockingOf } from '../laws/blocking.ts'
import type { MemoryParts } from '../ports/frontier-reader.ts'
import { coreCrawlMemoryIn, coreMemoryIn } from '../ports/stored-json.ts'
import { lastScope } from '../url/scope-at-rest.ts'

/** How core's own memory is read in a store, and what some of its fields mean. */
export const coreMemory: {
  /** Throws AVO_FRONTIER_CORRUPT. */
  ofHost(memory: MemoryParts): Partial<CoreHostMemory>
  /** As one process left it. */
  ofCrawl(memory: MemoryParts): Partial<CoreCrawlMemory>
  readonly textIn: typeof crawlTextOf
  readonly blockingOf: typeof blockingOf
  readonly lastRounds: typeof lastRounds
  readonly lastScope: typeof lastScope
  /** Asks plugins about a host at rest. */
  readonly explain: typeof explainHost
  readonly RefusedLinks: typeof RefusedLinks
} = {
  ...{ ofHost: coreMemoryIn, ofCrawl: coreCrawlMemoryIn, textIn: crawlTextOf, blockingOf },
  ...{ lastRounds, lastScope, explain: explainHost, RefusedLinks },
}
