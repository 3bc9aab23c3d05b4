// `avocet parse`, as the command line knows it.
import { type DeclaredCommand, switchFlag, valueFlag } from '@avocet/project/command'
import { given, parseWholeNumber, textOf, type Typed } from '@avocet/project/options'
import { SPIDER_FLAGS, VISIT_FLAGS, visitWishOf } from '../fetch/visit-flags.ts'
import type { ParseOptions } from './parse.ts'

/** `avocet parse`. */
export const PARSE: DeclaredCommand<ParseOptions> = {
  name: 'parse',
  arguments: '<target>',
  describes: { target: 'A URL, fetched the way a crawl would, or a file' },
  examples: [
    'avocet parse https://shop.example/offer/7 --spider spider.ts --handler offer',
    'avocet parse offer.html --url https://shop.example/7 --spider spider.ts --json',
  ],
  flags: {
    ...SPIDER_FLAGS,
    handler: valueFlag('NAME', "Run this handler [default: the crawl's, else start]"),
    url: valueFlag('URL', 'Address of the page in a file'),
    limit: valueFlag('N', 'Maximum items, and links [default: all items, 20 links]'),
    json: switchFlag('Print one JSON document, with the links'),
    ...VISIT_FLAGS,
    store: { ...VISIT_FLAGS['store'], describe: 'Use what the crawl in STORE knows of page and host' },
  },
  notes: [
    'Items go to stdout, one JSON line each; on a terminal, links go to stderr.',
    'Of a URL that the crawl knows, handler, data, header fields and body are taken',
    'from its store, unless you give others, and responses that it kept. A POST is',
    'sent only with --method POST. With --store FILE also what was learned of the',
    'host; with --store :memory: nothing.',
    'Exit codes: those of avocet fetch, 3 the handler failed.',
  ],
  missing: 'expected a URL or a file, got nothing',
  read: parseOptionsOf,
  run: async (options, place) => (await import('./parse.ts')).parseCommand(options, place),
}

function parseOptionsOf(typed: Typed): ParseOptions {
  const limit = textOf(typed, 'limit')
  return {
    ...visitWishOf(typed),
    target: textOf(typed, 'target') ?? '',
    ...given('handler', textOf(typed, 'handler')),
    json: typed['json'] === true,
    ...given('spiderPath', textOf(typed, 'spider')),
    ...given('url', textOf(typed, 'url')),
    ...given('limit', limit === undefined ? undefined : parseWholeNumber(limit, '--limit', 0)),
  }
}
