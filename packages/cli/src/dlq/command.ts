// `avocet dlq`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { DEAD_LETTERS, type DeadLetterClass } from '@avocet/core/tools'
import { checkSeedUrl } from '../load/seed-list.ts'
import type { DeclaredCommand } from '../options/declared-command.ts'
import { JSON_FLAG, STORE_FLAG, valueFlag, WHICH_STORE } from '../options/flags.ts'
import { given, parseWholeNumber, parseWord, textOf, type Typed } from '../options/values.ts'
import { CLASSES, HEALING } from '../store/dead-letters.ts'
import { commandName } from '../text/command-line.ts'
import type { DlqOptions } from './dlq.ts'

const ACTIONS = ['list', 'retry'] as const
/** Pages that `list` shows. */
const DEFAULT_LIMIT = 100

/** `avocet dlq`. */
export const DLQ: DeclaredCommand<DlqOptions> = {
  name: 'dlq',
  arguments: '<action> [target] [store]',
  describes: {
    action: 'list or retry',
    target: 'A store, or the URL of one page to retry',
    store: WHICH_STORE,
  },
  examples: [
    'avocet dlq list --class exhausted',
    'avocet dlq retry --host shop.example',
    'avocet dlq retry https://shop.example/offer/7',
  ],
  flags: {
    class: valueFlag('NAME', 'Only pages of this class; all for every class'),
    host: valueFlag('HOST', 'Only pages of this host, by its name in avocet hosts'),
    limit: valueFlag('N', `Maximum number of pages to list [default: ${DEFAULT_LIMIT}]`),
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: [
    'Classes:',
    ...CLASSES.map((name) => `  ${name.padEnd(12)}  ${DEAD_LETTERS[name]}`),
    `Without --class, retry takes ${HEALING.join(', ')}`,
  ],
  missing: 'expected list or retry, got nothing',
  read: dlqOptionsOf,
  run: async (options, place) => (await import('./dlq.ts')).dlqCommand(options, place),
}

function dlqOptionsOf(typed: Typed): DlqOptions {
  const { url, store } = targetOf(textOf(typed, 'target'), textOf(typed, 'store'))
  const [host, limit] = [textOf(typed, 'host'), textOf(typed, 'limit')]
  const classes = classesOf(textOf(typed, 'class'))
  const action = parseWord(textOf(typed, 'action') ?? '', 'dlq', ACTIONS)
  if (url !== undefined) checkPage(action, (classes ?? host) !== undefined)
  return {
    action,
    ...given('url', url),
    ...given('store', store),
    ...given('classes', classes),
    ...given('hostKey', host?.toLowerCase()),
    limit: limit === undefined ? DEFAULT_LIMIT : parseWholeNumber(limit, 'dlq --limit', 1),
    json: typed['json'] === true,
  }
}

/** What comes after the action: a page, a store, or both. */
function targetOf(
  target: string | undefined,
  store: string | undefined,
): { url?: string | undefined; store?: string | undefined } {
  if (target === undefined) return { store }
  if (!/^https?:\/\//i.test(target)) {
    if (store === undefined || store === target) return { store: target }
    throw new AvocetError('AVO_USAGE', `dlq: expected one store, got ${target} and ${store}; leave one out`)
  }
  return { url: parseUrl(checkSeedUrl(target, 'dlq')), store }
}

function checkPage(action: DlqOptions['action'], narrowed: boolean): void {
  if (action === 'list')
    throw new AvocetError('AVO_USAGE', `dlq list: expected a store, got a URL; ${commandName()} why URL explains one page`)
  if (narrowed) throw new AvocetError('AVO_USAGE', 'dlq retry: expected a URL or --class and --host, got both; leave one out')
}

function classesOf(typed: string | undefined): readonly DeadLetterClass[] | undefined {
  if (typed === undefined) return undefined
  const name = parseWord(typed, 'dlq --class', [...CLASSES, 'all' as const])
  return name === 'all' ? CLASSES : [name]
}
