// The status and the counters of a run that has done nothing yet.
import { polite } from '@avocet/preset-polite'
import type { CrawlStatus } from '@avocet/core/tools'
import { crawl, memoryFrontier, spider, type CrawlReport } from 'avocet'

/** Its status. */
export const NO_STATUS: CrawlStatus = crawl({
  spider: spider({ name: 'idle', seeds: ['https://idle.test/'], handlers: { *start() {} } }),
  policies: polite(),
  frontier: memoryFrontier(),
}).status()

/** All of them, 0 each. */
export const NO_RUN: CrawlReport['run'] = NO_STATUS.run
