// `avocet config`, as the command line knows it.
import type { ConfigWish } from '../config-why/config.ts'
import { crawlOptionsOf } from '../options/crawl-options.ts'
import { PLAN_FLAGS } from '../options/flags.ts'
import { textOf } from '../options/text-of.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet config`. */
export const CONFIG: DeclaredCommand<ConfigWish> = {
  name: 'config',
  arguments: '[targets..]',
  summary: 'what a crawl would go by, and on whose word',
  examples: ['avocet config --why', 'avocet config spider.ts --delay 2s --get delayMs'],
  flags: {
    why: { type: 'boolean', describe: 'say where each value comes from' },
    get: { type: 'string', requiresArg: true, describe: 'this key alone: concurrency, or a group: timeLimits' },
    ...PLAN_FLAGS,
    json: { type: 'boolean', describe: 'print one JSON document, with the origins' },
  },
  describe: (parser) =>
    parser
      .positional('targets', { describe: 'as for avocet crawl: one spider file, or URLs', type: 'string' })
      .epilogue('Flags win over AVOCET_…, over the configuration, the spider, what is built in.'),
  readsEnvironment: true,
  read(typed, variables) {
    const key = textOf(typed, 'get')
    return { options: crawlOptionsOf(typed, variables), ...(key !== undefined && { key }), why: typed['why'] === true }
  },
  run: async (wish, place) => (await import('../config-why/config.ts')).configCommand(wish, place),
}
