// `avocet config`, as the command line knows it.
import { crawlOptionsOf, given, textOf } from '@avocet/project/options'
import { type DeclaredCommand, PLAN_FLAGS, switchFlag, valueFlag } from '@avocet/project/command'
import type { ConfigWish } from './config.ts'

/** `avocet config`. */
export const CONFIG: DeclaredCommand<ConfigWish> = {
  name: 'config',
  arguments: '[targets..]',
  describes: { targets: 'One spider (file or name), or URLs, as for avocet crawl' },
  examples: ['avocet config --why', 'avocet config spider.ts --delay 2s --get delayMs'],
  flags: {
    why: switchFlag('Show where each value comes from'),
    get: valueFlag('KEY', 'Show this key only, or a group, such as timeLimits'),
    ...PLAN_FLAGS,
    json: switchFlag('Print one JSON document, with the origins'),
  },
  rareTopic: 'crawl-options',
  notes: ['Precedence: flags, the configuration, the spider, defaults.'],
  read: (typed) => ({
    options: crawlOptionsOf(typed),
    ...given('key', textOf(typed, 'get')),
    why: typed['why'] === true,
  }),
  run: async (wish, place) => (await import('./config.ts')).configCommand(wish, place),
}
