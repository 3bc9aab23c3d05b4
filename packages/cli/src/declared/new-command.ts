// `avocet new`, as the command line knows it.
import { newOptionsOf, type NewOptions } from '../new/new-options.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet new`. */
export const NEW: DeclaredCommand<NewOptions> = {
  name: 'new',
  arguments: '<kind> <name> [url]',
  summary: 'write a spider or a plugin with its test into this project',
  examples: ['avocet new spider books https://books.example/', 'avocet new plugin rest'],
  flags: { json: { type: 'boolean', describe: 'print one JSON document' } },
  describe: (parser) =>
    parser
      .positional('kind', { describe: 'spider or plugin', type: 'string' })
      .positional('name', { describe: 'small letters, digits and -', type: 'string' })
      .positional('url', { describe: 'where the spider begins', type: 'string' })
      .epilogue(
        [
          'spider  spiders/<name>.ts, and a test that reads a recorded page',
          'plugin  plugins/<name>.ts with its law, and a test that puts it through pluginContract',
          'There is no project yet? npm create avocet makes one.',
        ].join('\n'),
      ),
  missing: 'expected spider or plugin, and a name, got nothing',
  read: newOptionsOf,
  run: async (options, place) => (await import('../new/new-command.ts')).newCommand(options, place),
}
