// What core's own memory says of a crawl that nobody runs: for those who read stores.
import { explainHost } from '../hooks/explain-host.ts'
import type { CoreHostMemory, CoreCrawlMemory } from '../hosts/core-memory.ts'
import { crawlTextOf } from '../hosts/crawl-texts.ts'
import { lastRounds } from '../hosts/rounds.ts'
import { blockingOf } from '../hosts/blocking.ts'
import type { MemoryParts } from '../ports/frontier-reader.ts'
import { coreCrawlMemoryIn, coreMemoryIn } from '../ports/stored-json.ts'
import { DroppedParameters } from '../url/dropped-parameters.ts'
import { compileScope, joinedOf } from '../url/scope.ts'

/** How core's own memory is read in a store, and what some of its fields mean. */
export const coreMemory: {
  /** Throws AVO_FRONTIER_CORRUPT. */
  ofHost(memory: MemoryParts): Partial<CoreHostMemory>
  /** As one process left it. */
  ofCrawl(memory: MemoryParts): Partial<CoreCrawlMemory>
  readonly textIn: typeof crawlTextOf
  readonly blockingOf: typeof blockingOf
  readonly lastRounds: typeof lastRounds
  readonly compileScope: typeof compileScope
  readonly joinedOf: typeof joinedOf
  readonly DroppedParameters: typeof DroppedParameters
  /** Asks plugins about a host at rest. */
  readonly explain: typeof explainHost
} = {
  ...{ ofHost: coreMemoryIn, ofCrawl: coreCrawlMemoryIn, textIn: crawlTextOf, blockingOf },
  ...{ lastRounds, compileScope, joinedOf, DroppedParameters, explain: explainHost },
}
