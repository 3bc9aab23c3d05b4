// `avocet replay`, as the command line knows it.
import { crawlOptionsOf, type CrawlOptions } from '@avocet/project/options'
import { type DeclaredCommand, CRAWL_FLAGS, type Flags } from '@avocet/project/command'

/** What a crawl over kept responses has in common with one over the web. */
const NAMES = 'seeds a scope max-depth O o store config log-level json fail-over sitemaps files'.split(' ')
const FLAGS: Flags = Object.fromEntries(Object.entries(CRAWL_FLAGS).filter(([name]) => NAMES.includes(name)))

/** `avocet replay`. */
export const REPLAY: DeclaredCommand<CrawlOptions> = {
  name: 'replay',
  arguments: '[target]',
  describes: { target: 'A spider, by its file or name' },
  examples: ['avocet replay spider.ts -O offers.csv', 'avocet replay spider.ts -a city=berlin -O -'],
  flags: {
    ...FLAGS,
    store: { ...CRAWL_FLAGS['store'], describe: 'The crawl that kept them, by its store or name' },
  },
  notes: [
    'A crawl with --cache keeps responses. A replay makes no request, and leaves the',
    'store as it is: its own is in memory. What is not kept is counted.',
    'Exit codes: those of avocet crawl.',
  ],
  read: ({ target, ...typed }) => crawlOptionsOf({ ...typed, targets: target === undefined ? [] : [target] }),
  run: async (options, place) => (await import('./replay.ts')).replayCommand(options, place),
}
