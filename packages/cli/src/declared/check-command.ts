// `avocet check`, as the command line knows it.
import type { CheckWish } from '../check/findings.ts'
import { crawlOptionsOf } from '../options/crawl-options.ts'
import { CHECK_FLAGS } from '../options/flags.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet check`. */
export const CHECK: DeclaredCommand<CheckWish> = {
  name: 'check',
  arguments: '[targets..]',
  summary: 'whether a crawl would run, without crawling',
  examples: ['avocet check', 'avocet check spider.ts -a city=berlin --offline'],
  flags: {
    offline: { type: 'boolean', describe: 'nothing that needs the network: no DNS, no robots.txt' },
    ...CHECK_FLAGS,
    json: { type: 'boolean', describe: 'print one JSON document' },
  },
  describe: (parser) =>
    parser
      .positional('targets', { describe: 'as for avocet crawl: one spider file, or URLs', type: 'string' })
      .epilogue(
        [
          'Asks each host of the seeds for robots.txt and for nothing else. Of handlers it sees what links',
          'name in the text, and what start makes of test/pages/NAME.html; avocet parse shows more.',
          'Exit code: 0, or 4 when something would not work.',
        ].join('\n'),
      ),
  readsEnvironment: true,
  read: (typed, variables) => ({ options: crawlOptionsOf(typed, variables), offline: typed['offline'] === true }),
  run: async (wish, place) => (await import('../check/check.ts')).checkCommand(wish, place),
}
