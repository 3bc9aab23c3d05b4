// The counters of a run that has done nothing yet.
import { polite } from '@avocet/preset-polite'
import { crawl, memoryFrontier, spider, type CrawlReport } from 'avocet'

/** All of them, 0 each. */
export const NO_RUN: CrawlReport['run'] = crawl({
  spider: spider({ name: 'idle', seeds: ['https://idle.test/'], handlers: { *start() {} } }),
  policies: polite(),
  frontier: memoryFrontier(),
}).status().run
