// `avocet crawl`, as the command line knows it.
import { setFlagsFromString } from 'node:v8'
import { crawlOptionsOf, type CrawlOptions } from '@avocet/project/options'
import { type DeclaredCommand, CRAWL_FLAGS } from '@avocet/project/command'

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
    // What is alive may double before the heap is collected; V8 would let it grow fourfold. A crawl runs for weeks beside other programs.
    if (place.ownsProcess) setFlagsFromString('--heap-growing-percent=100')
    return (await import('./crawl.ts')).crawlCommand(options, place)
  },
}
