// `avocet shell`, as the command line knows it.
import { SHELL_FLAGS, shellOptionsOf, type ShellOptions } from '../shell/shell-options.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet shell`. */
export const SHELL: DeclaredCommand<ShellOptions> = {
  name: 'shell',
  arguments: '[target]',
  summary: 'a page at hand, to try selectors and handlers on',
  examples: [
    'avocet shell https://shop.example/ --spider spider.ts',
    `avocet shell https://shop.example/ -c "links('.offer a')" --json`,
  ],
  flags: SHELL_FLAGS,
  describe: (parser) =>
    parser
      .positional('target', { describe: 'a URL, asked for as a crawl would, or a file', type: 'string' })
      .epilogue(
        [
          "Inside: page, $('css'), text('css'), links('css'), items('handler'), fetch(url), spider; await at the top.",
          'Without a terminal the code comes from stdin. Exit codes: as of avocet fetch, 2 the code threw.',
        ].join('\n'),
      ),
  readsEnvironment: true,
  read: shellOptionsOf,
  run: async (options, place) => (await import('../shell/shell-command.ts')).shellCommand(options, place),
}
