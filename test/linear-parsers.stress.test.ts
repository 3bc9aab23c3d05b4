// Every parser of what a server sends, fed with much of each byte and each mark that it knows: twice as much takes twice as long, and not four times.
//
// Measured in CPU time, which other processes change little, against a bound in the middle between linear and quadratic. What takes less than a glance
// is not compared at all, for there is nothing to compare. Of several tries the quickest counts, so a pause of the machine fails nothing.
import { retryAfterAt, parseUrl } from '@avocet/core/plugin'
import { httpDate } from '../packages/core/src/laws/retry-after.ts'
import { canonicalUrl } from '@avocet/core/store'
import { availabilityOf, gtinOf, parsePrice } from '@avocet/extract'
import { isAllowed, parseRobots, sitemapsOf } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import {
  FIELD_TOKENS,
  HTML_TOKENS,
  JSON_TOKENS,
  PRICE_TOKENS,
  ROBOTS_TOKENS,
  SECRET_TOKENS,
  SITEMAP_TOKENS,
  URL_TOKENS,
} from '../bench/fuzz/tokens.ts'
import { charsetOf, contentTypeOf, decodeText } from '../packages/page/src/markup/charset.ts'
import { foldSpace } from '../packages/page/src/markup/element-text.ts'
import { lenientJson } from '../packages/page/src/data/json-ld.ts'
import { parseRefresh, robotsDirectives } from '../packages/page/src/directives.ts'
import { scanMetadata } from '../packages/page/src/data/metadata.ts'
import { scanHtml } from '../packages/page/src/markup/scanner.ts'
import { codingsOf } from '../packages/fetcher-http/src/content-decoding.ts'
import { withoutBodySecrets } from '../packages/plugin-secrets/src/body-secrets.ts'
import { DroppedParameters } from '../packages/core/src/url/dropped-parameters.ts'
import { textReader } from '../packages/plugin-sitemaps/src/read-list.ts'
import { sitemapLines } from '../packages/plugin-sitemaps/src/sitemaps.ts'
import { listDate } from '../packages/plugin-sitemaps/src/list-dates.ts'
import { XmlReader } from '../packages/plugin-sitemaps/src/xml-reader.ts'
import { quotasOf } from '../packages/plugin-aimd/src/signals/quotas-of.ts'

const KIB = 2 ** 10
const PIECE = 64 * KIB
/** Below this there is nothing to see: quadratic time of so much input is seconds. */
const GLANCE_MS = 60
/** Between 2, which is linear, and 4. */
const MOST_RATIO = 3.2
const TRIES = 12

const DROPPED = DroppedParameters.of({ sessions: true })
const NO_BODY = new Uint8Array(0)
const BASE = 'https://shop.example/a/'

interface Parser {
  readonly name: string
  /** What it knows, and what would make it try again. */
  readonly tokens: readonly string[]
  readonly parse: (text: string) => unknown
}

const field = (name: string, parse: (text: string) => unknown): Parser => ({ name, tokens: FIELD_TOKENS, parse })
const html = (name: string, parse: (text: string) => unknown): Parser => ({ name, tokens: HTML_TOKENS, parse })

/** In pieces, as a file is read. */
function readXml(text: string): void {
  const reader = new XmlReader(() => true, { url: 'https://shop.example/', strict: false, alternates: true })
  for (let at = 0; at < text.length; at += PIECE) reader.write(text.slice(at, at + PIECE))
  reader.end()
}

function readText(text: string): void {
  const reader = textReader(() => true)
  for (let at = 0; at < text.length; at += PIECE) reader.write(text.slice(at, at + PIECE))
  reader.end(true)
}

const sitemap = (name: string, parse: (text: string) => unknown): Parser => ({ name, tokens: SITEMAP_TOKENS, parse })

const PARSERS: readonly Parser[] = [
  sitemap('a sitemap', readXml),
  sitemap('a list of a sitemap', (text) => readXml(`<urlset>${text}`)),
  sitemap('a URL of a sitemap', (text) => readXml(`<urlset><url><loc>${text}`)),
  sitemap('an attribute of a sitemap', (text) => readXml(`<urlset><url a="${text}`)),
  sitemap('an entry of a feed', (text) => readXml(`<rss><item>${text}`)),
  sitemap('a sitemap of text', readText),
  sitemap('the sitemaps of robots.txt', (text) => sitemapLines(`Sitemap:${text}`, BASE)),
  sitemap('a date of a sitemap', (text) => listDate(text)),
  {
    name: 'the secrets of a body',
    tokens: SECRET_TOKENS,
    parse: (text) => withoutBodySecrets(Buffer.from(text), { names: ['a', 'token'], values: ['a1b2c3d4'] }),
  },
  { name: 'a relative URL', tokens: URL_TOKENS, parse: (text) => parseUrl(text, BASE) },
  { name: 'the host of a URL', tokens: URL_TOKENS, parse: (text) => parseUrl(`http://${text}`, BASE) },
  { name: 'the canonical form of a URL', tokens: URL_TOKENS, parse: (text) => canonicalUrl(`http://h.example/${text}`) },
  {
    name: 'a URL with dropped parameters',
    tokens: URL_TOKENS,
    parse: (text) => DROPPED.from(parseUrl(`/${text}?${text}`, BASE) ?? ''),
  },
  field('Content-Type', (text) => contentTypeOf(text, NO_BODY)),
  field('the parameters of Content-Type', (text) => contentTypeOf(`text/html;x=${text}`, NO_BODY)),
  field('X-Robots-Tag', (text) => robotsDirectives([text], [text])),
  field('a refresh', (text) => parseRefresh(text)),
  field('the target of a refresh', (text) => parseRefresh(`1;${text}`)),
  field('Retry-After', (text) => retryAfterAt({ 'retry-after': text, date: text, age: text }, 1_000_000)),
  field('a date', (text) => httpDate(text)),
  field('Content-Encoding', (text) => codingsOf(text)),
  field('RateLimit', (text) => quotasOf({ ratelimit: `1${text}x`, 'ratelimit-policy': `a${text}x` }, 0)),
  field('X-RateLimit', (text) =>
    quotasOf({ 'x-ratelimit-limit': `1${text}x`, 'x-ratelimit-remaining': text, 'x-ratelimit-reset': text }, 0),
  ),
  html('a document', scanHtml),
  html('a tag', (text) => scanHtml(`<a ${text}`)),
  html('a value', (text) => scanHtml(`<meta name=robots content="${text}">`)),
  html('a title', (text) => scanHtml(`<title>${text}`)),
  html('a script', (text) => scanHtml(`<script>${text}`)),
  html('a comment', (text) => scanHtml(`<!--${text}`)),
  html('the text of a link', (text) => scanHtml(`<a href=x>${text}`)),
  html('metadata', scanMetadata),
  html('a field of metadata', (text) => scanMetadata(`<meta ${text}`)),
  html('the content of metadata', (text) => scanMetadata(`<meta name=a content="${text}">`)),
  { name: 'a price', tokens: PRICE_TOKENS, parse: parsePrice },
  { name: 'an availability', tokens: PRICE_TOKENS, parse: availabilityOf },
  { name: 'a GTIN', tokens: PRICE_TOKENS, parse: gtinOf },
  { name: 'JSON of a page', tokens: JSON_TOKENS, parse: lenientJson },
  { name: 'a text in JSON of a page', tokens: JSON_TOKENS, parse: (text) => lenientJson(`{"a":"${text}",}`) },
  html('white space', (text) => foldSpace(text, 200)),
  html('a charset', (text) => charsetOf(Buffer.from(text, 'latin1'), { markup: 'html' })),
  html('the charset of XML', (text) => charsetOf(Buffer.from(`<?xml encoding="${text}`, 'latin1'), { markup: 'xml' })),
  html('ISO-2022-JP', (text) => decodeText(Buffer.from(text, 'latin1'), 'ISO-2022-JP')),
  { name: 'robots.txt', tokens: ROBOTS_TOKENS, parse: (text) => sitemapsOf(parseRobots(text), BASE) },
  {
    name: 'a rule of robots.txt',
    tokens: ROBOTS_TOKENS,
    parse: (text) => isAllowed(parseRobots(`User-agent: *\nDisallow: /${text}b$`), 'a', `${BASE}${text}`),
  },
]

/** CPU time in ms. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** What was not linear. */
function superlinear({ parse, name }: Parser, token: string, characters: number): string | undefined {
  const [once, twice] = [characters, 2 * characters].map((size) => token.repeat(Math.ceil(size / token.length)))
  if (once === undefined || twice === undefined) return undefined
  let [quickest, quickestTwice] = [Infinity, Infinity]
  for (let left = TRIES; left > 0; left--) {
    quickestTwice = Math.min(
      quickestTwice,
      cpuMs(() => parse(twice)),
    )
    if (quickestTwice < GLANCE_MS) return undefined
    quickest = Math.min(
      quickest,
      cpuMs(() => parse(once)),
    )
    if (quickestTwice < MOST_RATIO * quickest) return undefined
  }
  return `${name}: ${characters} characters of ${JSON.stringify(token)} take ${quickest} ms, twice as many ${quickestTwice} ms`
}

const BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))

describe('twice as much takes no more than twice as long', () => {
  it.each(PARSERS)('$name, of each mark', (parser) => {
    expect(parser.tokens.map((token) => superlinear(parser, token, 256 * KIB)).filter((found) => found !== undefined)).toEqual([])
  })

  it.each(PARSERS)('$name, of each byte', (parser) => {
    expect(BYTES.map((byte) => superlinear(parser, byte, 16 * KIB)).filter((found) => found !== undefined)).toEqual([])
  })
})

describe('what is capped', () => {
  it.each(PARSERS.filter(({ tokens }) => tokens === FIELD_TOKENS || tokens === URL_TOKENS))(
    '$name takes next to no time for 10 MB',
    ({ parse, tokens, name }) => {
      // Not what a server sends: only a URL of 8,000 bytes at most gets there.
      if (name.startsWith('the canonical form')) return
      for (const token of tokens) {
        const text = token.repeat(Math.ceil((10 * KIB * KIB) / token.length))

        expect(Math.min(...[1, 2].map(() => cpuMs(() => parse(text))))).toBeLessThan(1_000)
      }
    },
  )
})
