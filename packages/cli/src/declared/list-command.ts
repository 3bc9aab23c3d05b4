// `avocet list`, as the command line knows it.
import { READ_FLAGS } from '../options/flags.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet list`. */
export const LIST: DeclaredCommand<{ readonly json: boolean }> = {
  name: 'list',
  arguments: '',
  summary: 'the spiders of this project',
  examples: ['avocet list', 'avocet list --json'],
  flags: READ_FLAGS,
  describe: (parser) =>
    parser.epilogue(
      [
        "Looks at the configuration's spider, at ./spiders, and at files here that look like spiders;",
        'it loads them, as a crawl would. A file that cannot be loaded is said with its reason, and the',
        'exit code is 3.',
      ].join('\n'),
    ),
  read: (typed) => ({ json: typed['json'] === true }),
  run: async ({ json }, place) => (await import('../list/list.ts')).listCommand(json, place),
}
