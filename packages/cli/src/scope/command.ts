// `avocet scope`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { type DeclaredCommand, JSON_FLAG, STORE_FLAG } from '@avocet/project/command'
import { namedStore, parseWord, textOf, textsOf, type Typed } from '@avocet/project/options'
import { commandName } from '@avocet/project/place'
import type { ScopeOptions } from './scope.ts'

/** `avocet scope`. */
export const SCOPE: DeclaredCommand<ScopeOptions> = {
  name: 'scope',
  arguments: '<action> [patterns..]',
  describes: {
    action: 'list, accept or forget',
    patterns: 'As listed',
  },
  examples: ['avocet scope list', "avocet scope accept 'shop.example/cal?d=*'", "avocet scope forget 'shop.example/cal?d=*'"],
  flags: {
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: [
    'shop.example/** is all of a host, *.shop.example all hosts of a domain.',
    'Accepted patterns are open from the next run on; a running crawl keeps them',
    'closed until it ends. Whole hosts and domains that the store knows are accepted',
    'even if nothing of them is closed.',
  ],
  missing: 'expected list, accept or forget, got nothing',
  read: scopeOptionsOf,
  run: async (options, place) => (await import('./scope.ts')).scopeCommand(options, place),
}

function scopeOptionsOf(typed: Typed): ScopeOptions {
  const patterns = textsOf(typed, 'patterns')
  const action = parseWord(textOf(typed, 'action') ?? '', 'scope', ['list', 'accept', 'forget'])
  if (action !== 'list' && patterns.length === 0)
    throw wrong(action, `a pattern, got nothing; ${commandName()} scope list names those that are closed or accepted`)
  if (action === 'list' && patterns.length > 0)
    throw wrong(action, `no pattern, got '${patterns[0] ?? ''}'; to open it: ${commandName()} scope accept`)
  return { action, patterns, ...namedStore(typed), json: typed['json'] === true }
}

function wrong(action: ScopeOptions['action'], expected: string): AvocetError {
  return new AvocetError('AVO_USAGE', `scope ${action}: expected ${expected}`)
}
