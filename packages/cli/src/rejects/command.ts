// `avocet rejects`, as the command line knows it.
import { given, namedStore, parseWholeNumber, textOf, type Typed } from '@avocet/project/options'
import { JSON_FLAG, STORE_FLAG, valueFlag, WHICH_STORE } from '@avocet/project/command'
import type { DeclaredCommand } from '@avocet/project/command'
import type { RejectsOptions } from './rejects.ts'

/** Rejects that are shown. */
const DEFAULT_LIMIT = 20

/** `avocet rejects`. */
export const REJECTS_COMMAND: DeclaredCommand<RejectsOptions> = {
  name: 'rejects',
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  examples: ['avocet rejects', 'avocet rejects --source schema'],
  flags: {
    source: valueFlag('NAME', 'Only those of schema, held, or of the sink NAME'),
    host: valueFlag('HOST', 'Only items of this host, by its name in avocet hosts'),
    limit: valueFlag('N', `Maximum number of items to list [default: ${DEFAULT_LIMIT}]`),
    ...STORE_FLAG,
    ...JSON_FLAG,
  },
  notes: ['Exit codes: 0 also when there is nothing to list.'],
  read: rejectsOptionsOf,
  run: async (options, place) => (await import('./rejects.ts')).rejectsCommand(options, place),
}

function rejectsOptionsOf(typed: Typed): RejectsOptions {
  const [limit, host] = [textOf(typed, 'limit'), textOf(typed, 'host')]
  return {
    ...namedStore(typed),
    ...given('source', textOf(typed, 'source')),
    ...given('hostKey', host?.toLowerCase()),
    limit: limit === undefined ? DEFAULT_LIMIT : parseWholeNumber(limit, 'rejects --limit', 1),
    json: typed['json'] === true,
  }
}
