// `avocet fetch`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { type DeclaredCommand, JSON_FLAG, switchFlag, valueFlag } from '@avocet/project/command'
import { given, textOf, type Typed } from '@avocet/project/options'
import type { FetchOptions } from './fetch.ts'
import { VISIT_FLAGS, visitWishOf } from './visit-flags.ts'

/** `avocet fetch`. */
export const FETCH: DeclaredCommand<FetchOptions> = {
  name: 'fetch',
  arguments: '<url>',
  describes: { url: 'An http or https URL' },
  examples: ['avocet fetch https://shop.example/offer/7 --explain', 'avocet fetch https://shop.example/ --headers -o page.html'],
  flags: {
    headers: switchFlag('Print status line and header fields too, like curl -i'),
    explain: switchFlag('Explain on stderr what each policy decided; no body'),
    o: valueFlag('FILE', 'Write the body to FILE', 'output'),
    ...JSON_FLAG,
    ...VISIT_FLAGS,
  },
  notes: [
    'Applies your configuration and its plugins, robots.txt first. The body goes to',
    'stdout, or to FILE. A response that a crawl kept (--cache) is shown without a',
    'request; --refetch requests it, and --kept nothing. Exit codes: 0 a handler',
    'would get the page, 6 it would not (another status, robots.txt, no answer, not',
    'kept), 8 its turn comes later than --patience. Method and body are those you',
    'give, not those of a store.',
  ],
  missing: 'expected a URL, got nothing',
  read: fetchOptionsOf,
  run: async (options, place) => (await import('./fetch.ts')).fetchCommand(options, place),
}

function fetchOptionsOf(typed: Typed): FetchOptions {
  const output = textOf(typed, 'o')
  const [headers, explain, json] = [typed['headers'] === true, typed['explain'] === true, typed['json'] === true]
  if (explain && typed['kept'] === true)
    throw new AvocetError(
      'AVO_USAGE',
      'expected --explain, which requests the page, or --kept, which does not, got both; leave one out',
    )
  if (json && headers)
    throw new AvocetError(
      'AVO_USAGE',
      'expected one thing on standard output, got --headers and --json; the document has the headers',
    )
  return {
    ...visitWishOf(typed),
    url: textOf(typed, 'url') ?? '',
    headers,
    explain,
    json,
    ...given('output', output === '-' ? undefined : output),
  }
}
