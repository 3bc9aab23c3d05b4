// `avocet failed`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { checkSeedUrl, typedHost } from '@avocet/project/load'
import { type DeclaredCommand, JSON_FLAG, STORE_FLAG, valueFlag, WHICH_STORE } from '@avocet/project/command'
import { given, namedStore, parseWholeNumber, parseWord, textOf, type Typed } from '@avocet/project/options'
import { type Place, commandName } from '@avocet/project/place'
import { DEAD_LETTERS, type DeadLetterClass } from '@avocet/project/store'
import { CLASSES, HEALING, OPEN_CLASSES } from '../store/dead-letters.ts'
import type { FailedAction, FailedOptions } from './failed-words.ts'

const ACTIONS = ['list', 'retry', 'drop'] as const satisfies readonly FailedAction[]
/** Pages that `list` shows. */
const DEFAULT_LIMIT = 100

/** `avocet failed`. */
export const FAILED: DeclaredCommand<FailedOptions> = {
  name: 'failed',
  arguments: '<action> [target] [store]',
  describes: {
    action: 'list, retry, or drop (needs a class, a host or a URL)',
    target: 'Name or path of the store, or the URL of one page',
    store: WHICH_STORE,
  },
  examples: [
    'avocet failed list --class exhausted',
    'avocet failed retry https://shop.example/offer/7',
    'avocet failed drop --class permanent',
  ],
  flags: {
    class: valueFlag('NAME', 'Only pages of this class; all for every class but dropped'),
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
  missing: 'expected list, retry or drop, got nothing',
  read: failedOptionsOf,
  run: failedCommand,
}

async function failedCommand(options: FailedOptions, place: Place): Promise<void> {
  if (options.action === 'list') return (await import('./list.ts')).listPages(options, place)
  const { dropGivenUp, retryPages } = await import('./retry-or-drop.ts')
  return options.action === 'retry' ? retryPages(options, place) : dropGivenUp(options, place)
}

function failedOptionsOf(typed: Typed): FailedOptions {
  const { url, store } = targetOf(textOf(typed, 'target'), textOf(typed, 'store'))
  const [host, limit] = [textOf(typed, 'host'), textOf(typed, 'limit')]
  const classes = classesOf(textOf(typed, 'class'))
  const action = parseWord(textOf(typed, 'action') ?? '', 'failed', ACTIONS)
  if (url !== undefined) checkPage(action, (classes ?? host) !== undefined)
  if (action === 'drop') checkDrop(classes, url ?? host)
  if (action !== 'list' && limit !== undefined)
    throw new AvocetError('AVO_USAGE', `failed ${action}: expected --limit with list alone, got it with ${action}; leave it out`)
  return {
    action,
    ...given('url', url),
    ...{ ...namedStore(typed), ...given('store', store) },
    ...given('classes', classes),
    ...given('hostKey', host && typedHost(host, 'failed')),
    limit: limit === undefined ? DEFAULT_LIMIT : parseWholeNumber(limit, 'failed --limit', 1),
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
    throw new AvocetError('AVO_USAGE', `failed: expected one store, got ${target} and ${store}; leave one out`)
  }
  return { url: parseUrl(checkSeedUrl(target, 'failed')), store }
}

function checkPage(action: FailedOptions['action'], narrowed: boolean): void {
  if (action === 'list')
    throw new AvocetError('AVO_USAGE', `failed list: expected a store, got a URL; ${commandName()} why URL explains one page`)
  if (narrowed)
    throw new AvocetError('AVO_USAGE', `failed ${action}: expected a URL or --class and --host, got both; leave one out`)
}

function checkDrop(classes: readonly DeadLetterClass[] | undefined, named: string | undefined): void {
  if ((classes ?? named) === undefined)
    throw new AvocetError(
      'AVO_USAGE',
      'failed drop: expected --class, --host or a URL, got none of them; --class all drops every given-up page',
    )
  if (classes?.includes('dropped') === true)
    throw new AvocetError(
      'AVO_USAGE',
      'failed drop: expected a class of pages that are not dropped, got dropped; name another class',
    )
}

function classesOf(typed: string | undefined): readonly DeadLetterClass[] | undefined {
  if (typed === undefined) return undefined
  const name = parseWord(typed, 'failed --class', [...CLASSES, 'all' as const])
  return name === 'all' ? OPEN_CLASSES : [name]
}
