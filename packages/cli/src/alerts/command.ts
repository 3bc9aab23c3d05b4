// `avocet alerts`, as the command line knows it.
import { CONFIG_FLAG, type DeclaredCommand, JSON_FLAG, SPIDER_ARGUMENTS } from '@avocet/project/command'
import { crawlOptionsOf, parseWord, textOf } from '@avocet/project/options'
import type { AlertsWish } from './alerts.ts'

/** `avocet alerts`. */
export const ALERTS: DeclaredCommand<AlertsWish> = {
  name: 'alerts',
  arguments: '<action> [targets..]',
  describes: { action: 'test', targets: 'One spider (file or name), as for avocet crawl' },
  examples: ['avocet alerts test', 'avocet alerts test spiders/prices.ts'],
  flags: { ...SPIDER_ARGUMENTS, ...CONFIG_FLAG, ...JSON_FLAG },
  notes: [
    'Sends a test message to each target of alerts(), and shows what came of it. No',
    'crawl runs, and the heartbeat is not requested.',
    'Exit code: 0, or 7 when a target did not take the message.',
  ],
  missing: 'expected test, got nothing',
  read(typed) {
    parseWord(textOf(typed, 'action') ?? '', 'alerts', ['test'])
    return crawlOptionsOf(typed)
  },
  run: async (options, place) => (await import('./alerts.ts')).alertsCommand(options, place),
}
