// `avocet check`, as the command line knows it.
import { crawlOptionsOf } from '@avocet/project/options'
import { type DeclaredCommand, CHECK_FLAGS, JSON_FLAG, switchFlag } from '@avocet/project/command'
import type { CheckWish } from './check.ts'

/** `avocet check`. */
export const CHECK: DeclaredCommand<CheckWish> = {
  name: 'check',
  arguments: '[targets..]',
  describes: { targets: 'One spider (file or name), or URLs, as for avocet crawl' },
  examples: ['avocet check', 'avocet check spider.ts -a city=berlin --offline'],
  flags: {
    offline: switchFlag('Skip what needs the network: robots.txt'),
    strict: switchFlag('Exit with 4 for warnings, too'),
    ...CHECK_FLAGS,
    ...JSON_FLAG,
  },
  notes: [
    'Requests robots.txt of the hosts of the seeds, and nothing else. What handlers',
    'yield is for the compiler, tests and avocet parse.',
    'Exit code: 0, or 4 when a problem would stop the crawl. A host that cannot be',
    'crawled is a warning while the seeds have others.',
  ],
  read: (typed) => ({
    options: crawlOptionsOf(typed),
    offline: typed['offline'] === true,
    strict: typed['strict'] === true,
  }),
  run: async (wish, place) => (await import('./check.ts')).checkCommand(wish, place),
}
