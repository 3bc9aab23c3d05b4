// `avocet changes`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { type DeclaredCommand, JSON_FLAG, STORE_FLAG, switchFlag, valueFlag, WHICH_STORE } from '@avocet/project/command'
import { typedHost } from '@avocet/project/load'
import { given, namedStore, parseDuration, parseWholeNumber, textOf, type Typed } from '@avocet/project/options'
import type { ChangesWish } from './changes.ts'

/** Changes that are listed. */
const DEFAULT_LIMIT = 100

/** `avocet changes`. */
export const CHANGES: DeclaredCommand<ChangesWish> = {
  name: 'changes',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: [
    'avocet changes prices --since 1h',
    'avocet changes --key tea-1 --host shop.example',
    'avocet changes --follow --jsonl',
  ],
  flags: {
    key: valueFlag('KEY', 'Only those of items with this key'),
    since: valueFlag('DURATION', 'Only those of pages fetched in this time, up to now'),
    host: valueFlag('HOST', 'Only those of this host'),
    limit: valueFlag('N', `Maximum number of changes, the last ones [default: ${DEFAULT_LIMIT}]`),
    follow: switchFlag('Print new changes as they come, until Ctrl-C'),
    jsonl: switchFlag('Print a line of JSON for each change, as a sink gets it'),
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: ['The oldest comes first. A spider needs items: { key, watch } to record changes.'],
  read: wishOf,
  run: async (wish, place) => (await import('./changes.ts')).changesCommand(wish, place),
}

function wishOf(typed: Typed): ChangesWish {
  const [since, host, limit] = [textOf(typed, 'since'), textOf(typed, 'host'), textOf(typed, 'limit')]
  const [follow, jsonl, json] = [typed['follow'] === true, typed['jsonl'] === true, typed['json'] === true]
  if (json && (follow || jsonl))
    throw new AvocetError(
      'AVO_USAGE',
      `changes: expected --json without --${follow ? 'follow' : 'jsonl'}, got both; leave --json out`,
    )
  return {
    ...namedStore(typed),
    ...given('key', textOf(typed, 'key')),
    ...(since !== undefined && { sinceMs: parseDuration(since, 'changes --since') }),
    ...(host !== undefined && { hostKey: typedHost(host, 'changes') }),
    limit: limit === undefined ? DEFAULT_LIMIT : parseWholeNumber(limit, 'changes --limit', 1),
    ...{ follow, form: json ? 'json' : jsonl ? 'jsonl' : 'lines' },
  }
}
