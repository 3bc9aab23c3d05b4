// `avocet crawl`, as the command line knows it.
import { crawlOptionsOf, type CrawlOptions } from '@avocet/project/options'
import { type DeclaredCommand, CRAWL_FLAGS } from '@avocet/project/command'

/** `avocet crawl`. */
export const CRAWL: DeclaredCommand<CrawlOptions> = {
  name: 'crawl',
  arguments: '[targets..]',
  describes: { targets: 'One spider (file or name), or URLs' },
  examples: [
    'avocet crawl https://quotes.example/ -O quotes.jsonl --max-time 5m',
    'avocet crawl spider.ts -a city=berlin -O offers.csv',
  ],
  flags: CRAWL_FLAGS,
  rareTopic: 'crawl-options',
  read: crawlOptionsOf,
  run: async (options, place) => (await import('./crawl.ts')).crawlCommand(options, place),
}
