// `avocet scope`, as the command line knows it.
import { scopeOptionsOf, type ScopeOptions } from '../commands/scope-options.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet scope`. */
export const SCOPE: DeclaredCommand<ScopeOptions> = {
  name: 'scope',
  arguments: '<action> [patterns..]',
  summary: 'patterns of URLs that were closed: list them, open some again, or take that back',
  examples: ['avocet scope list', "avocet scope accept 'shop.example/cal?d=*'", "avocet scope forget 'shop.example/cal?d=*'"],
  flags: {
    store: { type: 'string', describe: 'default: the only one in .avocet' },
    ahead: { type: 'boolean', describe: 'accept also what is not closed, and before the first run' },
    json: { type: 'boolean', describe: 'print one JSON document' },
  },
  describe: (parser) =>
    parser
      .positional('action', { describe: 'list, accept or forget', type: 'string' })
      .positional('patterns', {
        describe:
          'as the list names them, or a URL without its scheme; shop.example/** is all of a host, *.shop.example all hosts of a domain',
        type: 'string',
      })
      .epilogue(
        'What is accepted is open from the next run on. A running crawl keeps its patterns closed until it ends. All of a host or domain that the store knows is accepted also when nothing of it is closed; other patterns need --ahead then.',
      ),
  missing: 'expected list, accept or forget, got nothing',
  read: scopeOptionsOf,
  run: async (options, place) => (await import('../commands/scope.ts')).scopeCommand(options, place),
}
