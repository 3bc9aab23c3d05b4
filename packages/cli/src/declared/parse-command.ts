// `avocet parse`, as the command line knows it.
import { PARSE_FLAGS, parseOptionsOf, type ParseOptions } from '../parse/parse-options.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet parse`. */
export const PARSE: DeclaredCommand<ParseOptions> = {
  name: 'parse',
  arguments: '<target>',
  summary: 'what a handler makes of one page, or of a recorded one',
  examples: [
    'avocet parse https://shop.example/offer/7 --spider spider.ts --handler offer',
    'avocet parse test/offer.html --url https://shop.example/offer/7 --spider spider.ts --json',
  ],
  flags: PARSE_FLAGS,
  describe: (parser) =>
    parser
      .positional('target', { describe: 'a URL, asked for as a crawl would, or a file', type: 'string' })
      .epilogue(
        'Items go to stdout, one JSON line each; links, on a terminal, to stderr. Exit codes: as of avocet fetch, 3 handler.',
      ),
  missing: 'expected a URL or a file, got nothing',
  readsEnvironment: true,
  read: parseOptionsOf,
  run: async (options, place) => (await import('../parse/parse-command.ts')).parseCommand(options, place),
}
