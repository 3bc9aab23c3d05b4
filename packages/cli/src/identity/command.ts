// `avocet identity`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { crawlOptionsOf } from '../options/crawl-options.ts'
import type { DeclaredCommand } from '../options/declared-command.ts'
import { PLAN_FLAGS, switchFlag, valueFlag, type Flags } from '../options/flags.ts'
import { given, parseWord, textOf, type Typed } from '../options/values.ts'
import type { IdentityWish } from './identity.ts'

/** Of a crawl's options, those that a site owner would notice. */
const NOTICED = new Set('a every delay max-rps max-per-host rate ignore-robots user-agent cache config'.split(' '))
const CRAWL: Flags = Object.fromEntries(Object.entries(PLAN_FLAGS).filter(([name]) => NOTICED.has(name)))

/** `avocet identity`. */
export const IDENTITY: DeclaredCommand<IdentityWish> = {
  name: 'identity',
  arguments: '<action> [targets..]',
  describes: { action: 'page', targets: 'One spider (file or name), or URLs, as for avocet crawl' },
  examples: ["avocet identity page --name 'Tea Ltd' --purpose 'Compares prices' -O bot.html"],
  flags: {
    name: valueFlag('TEXT', 'Who runs the crawler'),
    purpose: valueFlag('TEXT', 'What the crawl is for, in a sentence'),
    contact: valueFlag('TEXT', "Mail address or URL [default: the user agent's]"),
    stores: valueFlag('TEXT', 'What is stored [default: what the configuration says]'),
    hosts: switchFlag('Name the hosts of the seeds'),
    O: valueFlag('FILE', 'Write to FILE instead of stdout', 'overwrite'),
    ...CRAWL,
    json: switchFlag('Print one JSON document instead of the page'),
  },
  notes: [
    'The page states the limits that the configuration sets, and offers lines for',
    'robots.txt with the name of this crawler.',
  ],
  missing: 'expected page, got nothing',
  readsEnvironment: true,
  read: wishOf,
  run: async (wish, place) => (await import('./identity.ts')).identityCommand(wish, place),
}

function wishOf({ O: overwrite, overwrite: _alias, ...typed }: Typed, variables: Readonly<Record<string, string>>): IdentityWish {
  parseWord(textOf(typed, 'action') ?? '', 'identity', ['page'])
  const said = ['name', 'purpose'].find((name) => textOf(typed, name)?.trim() === undefined || textOf(typed, name)?.trim() === '')
  if (said !== undefined)
    throw new AvocetError('AVO_USAGE', `identity page: expected --${said}, got none; site owners want to know it`)
  return {
    options: crawlOptionsOf(typed, variables),
    name: textOf(typed, 'name') ?? '',
    purpose: textOf(typed, 'purpose') ?? '',
    ...given('contact', textOf(typed, 'contact')),
    ...given('stores', textOf(typed, 'stores')),
    ...given('path', typeof overwrite === 'string' ? overwrite : undefined),
    namesHosts: typed['hosts'] === true,
  }
}
