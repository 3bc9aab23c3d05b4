// URLs: what a page links to, the form in which it is asked for, and the form that it is known by. The oracle is the platform's URL class.
import { originOf, parseUrl } from '@avocet/core/plugin'
import { canonicalUrl, hostKeyOf } from '@avocet/core/store'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { corpusOf } from '../corpus.ts'
import { mutatedText } from '../mutated.ts'
import { property, type Property } from '../property.ts'

const TOKENS = [
  ...Array.from('/\\.:?#%&=@-_~ \t\n;é漢[]|\'"<>^`{}+$,!*()'),
  ...['..', '../', './', '%2e', '%2F', '%5c', '%00', '%', '%zz', '%C3%A9', '%e9', '//', '///', 'http:', 'https://', 'HTTP://h'],
  ...[
    'h.example',
    'h..',
    'H.',
    'xn--',
    'xn--bcher-kva',
    '127.1',
    '0x7f.1',
    '1.2.3.4.',
    '[::1]',
    '[::ffff:1.2.3.4]',
    ':80',
    ':443',
    ':0',
  ],
  ...[
    'user:pw@',
    '\u00ad',
    '\u3002',
    '\uff0e',
    '\u200d',
    'ß',
    'ﬁ',
    '\ud800',
    '\u0000',
    '😀',
    'a=b',
    '&&',
    '=&=',
    '+',
    '%2B',
    '%20',
    '#!',
  ],
] as const

const BASES = [
  'https://shop.example/a/b?c=d',
  'http://h.example',
  'http://h.example:8080/x//y/?q#f',
  'https://u:p@h.example/a/b/c/',
  'http://h.example/?',
  'http://h.example/a;b/%7e/',
  'http://[::1]:8080/a/',
] as const

const pieces = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...TOKENS) }, fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 12,
  })
  .map((all) => all.join(''))
const hrefs = corpusOf('pages')
  .flatMap((page) =>
    [
      ...Buffer.from(page)
        .toString('utf8')
        .matchAll(/href\s*=\s*["']?([^"'>]*)/gi),
    ].map(([, href = '']) => href),
  )
  .map((href) => Buffer.from(href))
const href = fc.oneof(
  pieces,
  pieces.map((rest) => `https://${rest}`),
  pieces.map((rest) => `https://h.example/${rest}`),
  pieces.map((rest) => `http://h.example/?${rest}`),
  mutatedText({ files: hrefs, tokens: TOKENS }).filter((text) => text.length < 4_000),
)

/** As the specification says it, without a look at speed, of hosts that DNS can know. */
function platform(given: string, base: string): string | undefined {
  const url = URL.parse(given, base)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  url.username = ''
  url.password = ''
  url.hash = ''
  const name = url.hostname.replace(/\.$/, '')
  if (name.length > 253 || name.split('.').some((label) => label.length > 63 || label === '')) return undefined
  url.hostname = name
  return url.href.length <= 8_000 ? url.href : undefined
}

/** A host that is refused unparsed: it may be written longer than it would become. */
function mayBeRefused(given: string): boolean {
  return /[^/\\?#]{64}/.test(given.replace(/[\t\n\r]/g, ''))
}

const parsed = fc.tuple(href, fc.constantFrom(...BASES))

const agrees = property(
  { name: 'url-parser', what: 'a link is resolved as the platform resolves it', runs: 12_000 },
  parsed,
  ([given, base]) => {
    const ours = parseUrl(given, base)
    if (ours === undefined && mayBeRefused(given)) return
    assert.equal(ours, platform(given, base))
  },
)

const canonical = property(
  {
    name: 'url-canonical',
    what: 'the canonical form of a URL is a URL of the same page, and its own canonical form',
    runs: 12_000,
  },
  parsed,
  ([given, base]) => {
    const url = parseUrl(given, base)
    if (url === undefined) return
    const once = canonicalUrl(url)
    assert.equal(canonicalUrl(once), once, 'idempotent')
    assert.equal(new URL(once).href, once, 'in the form of the platform')
    assert.equal(bytesOf(new URL(once).pathname), bytesOf(new URL(url).pathname), 'the same path')
    assert.deepEqual(pairsOf(once), pairsOf(url), 'the same query')
    assert.equal(hostKeyOf(once, 'host'), hostKeyOf(url, 'host'), 'the same host')
  },
)

const parts = property(
  { name: 'url-parts', what: 'host and origin that are cut from a URL are those that the platform finds in it', runs: 6_000 },
  parsed,
  ([given, base]) => {
    const url = parseUrl(given, base)
    if (url === undefined) return
    const { origin, host } = new URL(url)
    assert.equal(originOf(url), origin)
    assert.equal(hostKeyOf(url, 'host'), hostKeyOf(new URL(url), 'host'))
    assert.equal(hostKeyOf(url, 'host').replace(/:\d+$/, ''), host.replace(/:\d+$/, '').replace(/\.+$/, ''))
  },
)

/** What a path stands for, a byte a character. */
function bytesOf(path: string): string {
  return path.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** Pairs of the query in any order. */
function pairsOf(url: string): readonly string[] {
  return [...new URL(url).searchParams].map((pair) => JSON.stringify(pair)).toSorted()
}

/** All of this file. */
export const URL_PROPERTIES: readonly Property[] = [agrees, canonical, parts]
