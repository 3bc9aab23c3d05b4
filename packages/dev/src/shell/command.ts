// `avocet shell`, as the command line knows it.
import { type DeclaredCommand, valueFlag } from '@avocet/project/command'
import { given, textOf } from '@avocet/project/options'
import { SPIDER_FLAGS, VISIT_FLAGS, visitWishOf } from '../fetch/visit-flags.ts'
import type { ShellOptions } from './shell.ts'

/** `avocet shell`. */
export const SHELL: DeclaredCommand<ShellOptions> = {
  name: 'shell',
  arguments: '[target]',
  describes: { target: 'A URL, fetched the way a crawl would, or a file' },
  examples: [
    'avocet shell https://shop.example/ --spider spider.ts',
    `avocet shell https://shop.example/ -c "links('.offer a')"`,
  ],
  flags: {
    c: valueFlag('CODE', 'Run CODE, print its value, and exit', 'code'),
    ...SPIDER_FLAGS,
    url: valueFlag('URL', 'Address of the page in a file'),
    ...VISIT_FLAGS,
  },
  notes: [
    "Inside: page, $('css'), text('css'), links('css'), items('handler', data),",
    'fetch(url), spider; top-level await. .reload loads the spider again after an',
    'edit. Of a URL that the crawl knows, items() has handler and data, and fetch()',
    'sends header fields and body from its store; a POST is sent only where you give',
    'the method. Without a terminal, code is read from stdin.',
    'Exit codes: those of avocet fetch, 2 the code threw.',
  ],
  read: (typed) => ({
    ...visitWishOf(typed),
    ...given('target', textOf(typed, 'target')),
    ...given('code', textOf(typed, 'c')),
    ...given('spiderPath', textOf(typed, 'spider')),
    ...given('url', textOf(typed, 'url')),
  }),
  run: async (options, place) => (await import('./shell.ts')).shellCommand(options, place),
}
