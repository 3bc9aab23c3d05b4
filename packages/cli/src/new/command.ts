// `avocet new`, as the command line knows it.
import type { DeclaredCommand } from '../options/declared-command.ts'
import { JSON_FLAG } from '../options/flags.ts'
import { given, textOf } from '../options/values.ts'
import type { NewOptions } from './new.ts'

/** `avocet new`. */
export const NEW: DeclaredCommand<NewOptions> = {
  name: 'new',
  arguments: '<kind> <name> [url]',
  describes: { kind: 'spider or plugin', name: 'Lower-case letters, digits and -', url: 'First URL of the spider' },
  summary: 'Create a spider or a plugin, with its test, in this project',
  examples: ['avocet new spider books https://books.example/', 'avocet new plugin rest'],
  flags: JSON_FLAG,
  notes: [
    'spider  spiders/<name>.ts, and a test that reads a recorded page',
    'plugin  plugins/<name>.ts with its law, and a test that runs pluginContract',
    'No project yet? npm create avocet makes one.',
  ],
  missing: 'expected spider or plugin, and a name, got nothing',
  read: (typed) => ({
    kind: textOf(typed, 'kind') ?? '',
    name: textOf(typed, 'name') ?? '',
    ...given('url', textOf(typed, 'url')),
    json: typed['json'] === true,
  }),
  run: async (options, place) => (await import('./new.ts')).newCommand(options, place),
}
