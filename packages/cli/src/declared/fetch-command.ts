// `avocet fetch`, as the command line knows it.
import { FETCH_FLAGS, fetchOptionsOf, type FetchOptions } from '../fetch/fetch-options.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet fetch`. */
export const FETCH: DeclaredCommand<FetchOptions> = {
  name: 'fetch',
  arguments: '<url>',
  summary: 'one page, as a crawl would ask for it',
  examples: ['avocet fetch https://shop.example/offer/7 --explain', 'avocet fetch https://shop.example/ --headers -o page.html'],
  flags: FETCH_FLAGS,
  describe: (parser) =>
    parser
      .positional('url', { describe: 'an http or https URL', type: 'string' })
      .epilogue(
        [
          'It goes by your configuration: its plugins, robots.txt first. The body goes to stdout, or to FILE.',
          'Exit codes: 0 a handler would see it, 6 it would not (another status, robots.txt, no answer),',
          '8 its turn comes later than --patience.',
        ].join('\n'),
      ),
  missing: 'expected a URL, got nothing',
  readsEnvironment: true,
  read: fetchOptionsOf,
  run: async (options, place) => (await import('../fetch/fetch-command.ts')).fetchCommand(options, place),
}
