// `avocet rejects`, as the command line knows it.
import { crawlOptionsOf, given, parseWholeNumber, parseWord, textOf, type Typed } from '@avocet/project/options'
import { CRAWL_FLAGS, JSON_FLAG, SPIDER_ARGUMENTS, STORE_FLAG, valueFlag, WHICH_STORE } from '@avocet/project/command'
import type { DeclaredCommand, Variables } from '@avocet/project/command'
import type { RejectsOptions } from './wanted.ts'

const ACTIONS = ['list', 'retry'] as const
/** Rejects that `list` shows. */
const DEFAULT_LIMIT = 20

/** `avocet rejects`. */
export const REJECTS_COMMAND: DeclaredCommand<RejectsOptions> = {
  name: 'rejects',
  arguments: '<action> [store]',
  describes: { action: 'list or retry', store: WHICH_STORE },
  examples: ['avocet rejects list --source schema', 'avocet rejects retry --spider spider.ts'],
  flags: {
    source: valueFlag('NAME', 'Only those of schema, or of the sink NAME'),
    host: valueFlag('HOST', 'Only items of this host, by its name in avocet hosts'),
    limit: valueFlag('N', `Maximum number of items to list [default: ${DEFAULT_LIMIT}]`),
    spider: valueFlag('SPIDER', "File or name, to retry [default: the store's spider]"),
    ...SPIDER_ARGUMENTS,
    config: { ...CRAWL_FLAGS['config'] },
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: [
    'retry checks rejects of the schema again. Those that are valid now, and that no',
    'plugin drops, become items; the next run writes them to outputs. Rejects of a',
    'sink are handed to it again by the next run, or by the one in progress.',
    'Exit codes: 0 also when there is nothing to list or to retry.',
  ],
  missing: 'expected list or retry, got nothing',
  read: rejectsOptionsOf,
  run: async (options, place) => (await import('./rejects.ts')).rejectsCommand(options, place),
}

function rejectsOptionsOf(typed: Typed, variables: Variables): RejectsOptions {
  const [limit, host] = [textOf(typed, 'limit'), textOf(typed, 'host')]
  const crawls = Object.fromEntries(Object.entries(typed).filter(([name]) => name === 'a' || name === 'config'))
  return {
    action: parseWord(textOf(typed, 'action') ?? '', 'rejects', ACTIONS),
    crawl: crawlOptionsOf(crawls, variables),
    ...given('store', textOf(typed, 'store')),
    ...given('source', textOf(typed, 'source')),
    ...given('hostKey', host?.toLowerCase()),
    ...given('spiderPath', textOf(typed, 'spider')),
    limit: limit === undefined ? DEFAULT_LIMIT : parseWholeNumber(limit, 'rejects --limit', 1),
    json: typed['json'] === true,
  }
}
