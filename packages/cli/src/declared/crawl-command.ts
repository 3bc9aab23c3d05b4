// `avocet crawl`, as the command line knows it.
import { keepHeapSmall } from '@avocet/core'
import { crawlOptionsOf, type CrawlOptions } from '../options/crawl-options.ts'
import { CRAWL_FLAGS } from '../options/flags.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet crawl`. */
export const CRAWL: DeclaredCommand<CrawlOptions> = {
  name: 'crawl',
  arguments: '[targets..]',
  summary: 'crawl a spider file, or URLs',
  examples: [
    'avocet crawl https://quotes.example/ -O quotes.jsonl --max-time 5m',
    'avocet crawl spider.ts -a city=berlin -O offers.csv',
  ],
  flags: CRAWL_FLAGS,
  describe: (parser) => parser.positional('targets', { describe: 'one spider file, or URLs', type: 'string' }),
  readsEnvironment: true,
  read: crawlOptionsOf,
  async run(options, place) {
    keepHeapSmall()
    return (await import('../commands/crawl.ts')).crawlCommand(options, place)
  },
}
