// A crawl at rest, with what the plugins that every crawl of the command has found of its hosts.
import type { FrontierReader } from '@avocet/core/store'
import { atRest, type CrawlAtRest } from '@avocet/at-rest'
import { journal } from '@avocet/plugin-journal'
import { traps } from '@avocet/plugin-traps'

/** Reads it. Throws AVO_FRONTIER_…. */
export function crawlAtRest(reader: FrontierReader): Promise<CrawlAtRest> {
  return atRest(reader, [journal(), traps()])
}
