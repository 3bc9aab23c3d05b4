// Linear time: every parser of what a server sends, fed with some of its tokens over and over.
import assert from 'node:assert/strict'
import { retryAfterAt, parseUrl } from '@avocet/core/plugin'
import { httpDate } from '../../../packages/core/src/laws/retry-after.ts'
import { canonicalUrl } from '@avocet/core/store'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { isAllowed, parseRobots, sitemapsOf } from '@avocet/plugin-robots'
import * as fc from 'fast-check'
import { charsetOf, contentTypeOf, decodeText, withLegacyQuery } from '../../../packages/page/src/markup/charset.ts'
import { foldSpace } from '../../../packages/page/src/markup/element-text.ts'
import { parseRefresh, robotsDirectives } from '../../../packages/page/src/directives.ts'
import { guardedCell } from '@avocet/delivery/files'
import { firstCsvRecord } from '../../../packages/sink-files/src/csv.ts'
import { printableJson } from '../../../packages/project/src/output/machines.ts'
import { fold } from '../../../packages/project/src/text/terminal.ts'
import { printableLine, printableText } from '../../../packages/project/src/text/printable.ts'
import { quotasOf } from '../../../packages/plugin-aimd/src/signals/quotas-of.ts'
import { keptText } from '../../../packages/plugin-robots/src/kept-text.ts'
import { superlinear } from '../growth.ts'
import { property, type Property } from '../property.ts'
import { FIELD_TOKENS, HTML_TOKENS, ROBOTS_TOKENS, URL_TOKENS } from '../tokens.ts'
import { scanHtml } from '../../../packages/page/src/markup/scanner.ts'

const BASE = 'https://shop.example/a/'
const NO_BODY = new Uint8Array(0)

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  page: scanHtml,
  'attributes of a page': (text) => scanHtml(`<a ${text}`),
  href: (text) => parseUrl(text, BASE),
  host: (text) => parseUrl(`http://${text}`, BASE),
  canonical: (text) => canonicalUrl(`http://h.example/${text.slice(0, 8_000)}`),
  query: (text) => withLegacyQuery(`?${text}`, 'windows-1252'),
  robots: (text) => keptText(parseRobots(text), 'avocet'),
  'rules of robots': (text) =>
    isAllowed(parseRobots(`User-agent: *\nDisallow: /${text}$\nAllow: ${text}`), 'a', `${BASE}${text.slice(0, 2_000)}`),
  sitemaps: (text) => sitemapsOf(parseRobots(`Sitemap: ${text}`), BASE),
  'content type': (text) => contentTypeOf(text, NO_BODY),
  refresh: parseRefresh,
  'robots tag': (text) => robotsDirectives([text], [text]),
  'retry after': (text) => retryAfterAt({ 'retry-after': text, date: text, age: text }, 1_000_000),
  date: (text) => httpDate(text),
  limits: (text) =>
    quotasOf({ ratelimit: text, 'ratelimit-policy': text, 'x-ratelimit-limit': text, 'x-ratelimit-reset': text }, 0),
  charset: (text) => decodeText(Buffer.from(text), charsetOf(Buffer.from(text), { markup: 'html' })),
  'white space': (text) => foldSpace(text, 200),
  userinfo: withoutCredentials,
  'lines for people': (text) => printableText(text) + printableLine(text),
  'columns for people': (text) => fold(text.slice(0, 65_536), 80),
  json: printableJson,
  'first record of CSV': firstCsvRecord,
  formulas: guardedCell,
}

/** Of terminals, and of character sets that escapes lead to. */
const ESCAPES = ['\u001b[31m', '\u001b', '\u001b$B']
const TOKENS = [...new Set([...HTML_TOKENS, ...URL_TOKENS, ...FIELD_TOKENS, ...ROBOTS_TOKENS, ...ESCAPES])]
const piece = fc.array(fc.constantFrom(...TOKENS), { maxLength: 4 }).map((parts) => parts.join(''))
const growing = fc.record({ before: piece, unit: piece.filter((unit) => unit !== ''), after: piece })

/** Measured, so it belongs to `npm run fuzz` alone; `test/linear-parsers.stress.test.ts` has each token for itself. */
export const LINEAR: Property = property(
  { name: 'linear', what: 'twice as much of anything takes no more than twice as long', runs: 100 },
  fc.tuple(fc.constantFrom(...Object.keys(PARSERS)), growing),
  ([name, text]) => {
    const parse = PARSERS[name]
    if (parse !== undefined) assert.equal(superlinear(parse, text), undefined)
  },
)
