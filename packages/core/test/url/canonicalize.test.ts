// The identity form of URLs. Rows marked w3lib are from scrapy/w3lib's TestCanonicalizeUrl, crawler-commons from its BasicURLNormalizerTest.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CANONICALISATION, canonicalUrl } from '../../src/url/canonicalize.ts'
import { parseUrl } from '../../src/url/parse-url.ts'

function identityOf(href: string): string | undefined {
  const url = parseUrl(href)
  return url === undefined ? undefined : canonicalUrl(url)
}

describe('canonicalUrl', () => {
  it.each([
    ['sorts the query (w3lib)', 'http://www.example.com/do?c=1&b=2&a=3', 'http://www.example.com/do?a=3&b=2&c=1'],
    ['sorts equal keys by value', 'http://h.example/?a=2&a=10&a=1', 'http://h.example/?a=1&a=10&a=2'],
    ['drops empty pairs (w3lib)', 'http://www.example.com/do?&a=1', 'http://www.example.com/do?a=1'],
    ['keeps blank values (w3lib)', 'http://www.example.com/do?1750,4', 'http://www.example.com/do?1750%2C4='],
    [
      'takes %20 and + for the same space (w3lib)',
      'http://www.example.com/do?q=a%20space&a=1',
      'http://www.example.com/do?a=1&q=a+space',
    ],
    ['keeps an escaped plus', 'http://h.example/?q=a%2bb', 'http://h.example/?q=a%2Bb'],
    [
      'escapes what is not ASCII (w3lib)',
      'http://www.example.com/résumé?q=résumé',
      'http://www.example.com/r%C3%A9sum%C3%A9?q=r%C3%A9sum%C3%A9',
    ],
    [
      'keeps escapes of other charsets (w3lib)',
      'http://www.example.com/?country=%D0%EE%F1',
      'http://www.example.com/?country=%D0%EE%F1',
    ],
    [
      'writes escapes in upper case (w3lib)',
      'http://www.example.com/a%a3do?q=r%c3%a9',
      'http://www.example.com/a%A3do?q=r%C3%A9',
    ],
    ['keeps an escaped slash (w3lib)', 'http://foo.com/AC%2FDC+rocks%3f/?yeah=1', 'http://foo.com/AC%2FDC+rocks%3F/?yeah=1'],
    ['undoes escapes of unreserved characters (crawler-commons)', 'http://foo.com/%66oo.ht%6dl', 'http://foo.com/foo.html'],
    ['keeps escapes of reserved ones', 'http://foo.com/a%3Ab', 'http://foo.com/a%3Ab'],
    ['keeps an escaped hash (w3lib)', 'http://www.example.com/to/%23/foo/bar#frag', 'http://www.example.com/to/%23/foo/bar'],
    [
      'keeps slashes in values escaped (w3lib)',
      'http://www.example.com/?url=http%3A%2F%2Fx%2F%23%2F',
      'http://www.example.com/?url=http%3A%2F%2Fx%2F%23%2F',
    ],
    ['escapes a lone percent sign in a query', 'http://h.example/?q=100%', 'http://h.example/?q=100%25'],
    ['drops the default port', 'http://foo.com:80/index.html', 'http://foo.com/index.html'],
    ['drops an empty query', 'http://h.example/a?', 'http://h.example/a'],
    ['keeps the slash at the end', 'http://h.example/a/', 'http://h.example/a/'],
    ['keeps tracking parameters', 'http://www.h.example/?utm_source=x', 'http://www.h.example/?utm_source=x'],
    ['takes tabs and line feeds out (w3lib)', 'http://exa\tmple.com/a\r\nb?q=a\tb', 'http://example.com/ab?q=ab'],
  ])('%s', (_, href, expected) => {
    expect(identityOf(href)).toBe(expected)
  })

  it('is idempotent, and never makes a URL that is none', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string(), (start, more) => {
        const once = identityOf(start + more)
        if (once === undefined) return
        expect(canonicalUrl(once)).toBe(once)
        expect(URL.canParse(once)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(['%%443', '%4%31', '%%344', '%%%41', '%2%4'])('makes no escape of /%s that was none', (path) => {
    const url = `http://a.test/${path}`

    expect(canonicalUrl(url)).toBe(url)
  })

  it('does not depend on the order of the query', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-c%=+é]{1,4}$/)), fc.nat(), (pairs, turn) => {
        const at = pairs.length === 0 ? 0 : turn % pairs.length
        const turned = [...pairs.slice(at), ...pairs.slice(0, at)]
        expect(identityOf(`http://h.example/?${turned.join('&')}`)).toBe(identityOf(`http://h.example/?${pairs.join('&')}`))
      }),
    )
  })

  it.each([
    ['sortQuery', 'http://h.example/?b=1&a=2', 'http://h.example/?a=2&b=1'],
    ['keepBlankValues', 'http://h.example/?a', 'http://h.example/?a='],
    ['normaliseEscapes', 'http://h.example/%7ea', 'http://h.example/~a'],
    ['dropFragment', 'http://h.example/#a', 'http://h.example/'],
    ['foldTrailingDot', 'http://h.example./', 'http://h.example/'],
  ] as const)('follows the rule %s, which is in its name', (rule, url, canonical) => {
    expect(canonicalUrl(parseUrl(url) ?? '')).toBe(canonical)
    expect(CANONICALISATION).toContain(rule)
  })
})

describe('CANONICALISATION', () => {
  it('names the version and the rules: to change it is to refuse every store made before', () => {
    expect(CANONICALISATION).toBe('avocet-1:dropFragment+foldTrailingDot+keepBlankValues+normaliseEscapes+sortQuery')
  })
})
