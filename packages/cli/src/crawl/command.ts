// `avocet crawl`, as the command line knows it.
import { keepHeapSmall } from '@avocet/core/tools'
import { crawlOptionsOf, type CrawlOptions } from '../options/crawl-options.ts'
import type { DeclaredCommand } from '../options/declared-command.ts'
import { CRAWL_FLAGS } from '../options/flags.ts'

/** `avocet crawl`. */
export const CRAWL: DeclaredCommand<CrawlOptions> = {
  name: 'crawl',
  arguments: '[targets..]',
  describes: { targets: 'One spider (file, or name in avocet list), or URLs' },
  examples: [
    'avocet crawl https://quotes.example/ -O quotes.jsonl --max-time 5m',
    'avocet crawl spider.ts -a city=berlin -O offers.csv',
  ],
  flags: CRAWL_FLAGS,
  rareTopic: 'crawl-options',
  readsEnvironment: true,
  read: crawlOptionsOf,
  async run(options, place) {
    if (place.ownsProcess) keepHeapSmall()
    return (await import('./crawl.ts')).crawlCommand(options, place)
  },
}
