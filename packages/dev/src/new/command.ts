// `avocet new`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { type DeclaredCommand, JSON_FLAG, type Flags } from '@avocet/project/command'
import { given, textOf, type Typed } from '@avocet/project/options'
import { VISIT_FLAGS, visitWishOf } from '../fetch/visit-flags.ts'
import type { NewOptions } from './new.ts'

/** How the page is fetched that the test of a spider is for. */
const PAGE_FLAGS: Flags = Object.fromEntries(
  ['config', 'user-agent', 'header', 'secret-parameter', 'ignore-robots', 'patience'].map((name) => [
    name,
    VISIT_FLAGS[name] ?? {},
  ]),
)

/** `avocet new`. */
export const NEW: DeclaredCommand<NewOptions> = {
  name: 'new',
  arguments: '<kind> <name> [url]',
  describes: { kind: 'spider or plugin', name: 'Lower-case letters, digits and -', url: 'First URL of the spider' },
  examples: ['avocet new spider books https://books.example/', 'avocet new plugin rest'],
  flags: { ...JSON_FLAG, ...PAGE_FLAGS },
  notes: [
    'spider  spiders/<name>.ts, and a test that reads a recorded page',
    'plugin  plugins/<name>.ts with its law, and a test that runs pluginContract',
    'The page at the URL is fetched once, as by avocet fetch, and recorded for the',
    'test; without a URL, or where there is no HTML page, the test reads a sample.',
    'What is written holds no secrets: __secret__ is in place of credentials that',
    'were sent, and of values of secret parameters.',
    'No project yet? npm create avocet makes one.',
  ],
  missing: 'expected spider or plugin, and a name, got nothing',
  read: newOptionsOf,
  run: async (options, place) => (await import('./new.ts')).newCommand(options, place),
}

function newOptionsOf(typed: Typed): NewOptions {
  const [kind = '', url] = [textOf(typed, 'kind'), textOf(typed, 'url')]
  const asks = Object.keys(PAGE_FLAGS).find((name) => typed[name] !== undefined)
  if (asks !== undefined && (kind !== 'spider' || url === undefined))
    throw new AvocetError('AVO_USAGE', `--${asks}: expected the URL of a spider, whose page is fetched, got none; leave it out`)
  return {
    kind,
    name: textOf(typed, 'name') ?? '',
    ...given('url', url),
    json: typed['json'] === true,
    visit: visitWishOf(typed),
  }
}
