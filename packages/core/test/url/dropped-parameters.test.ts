// Which parameters are removed from a URL, and that nothing else of it changes.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DroppedParameters } from '../../src/url/dropped-parameters.ts'
import { parseUrl } from '../../src/url/parse-url.ts'

const H = 'https://shop.example'
const without = (names: readonly string[], url: string): string => new DroppedParameters(names).from(H + url).slice(H.length)

describe('parameters that are dropped', () => {
  it.each([
    ['the first', '/a?utm_source=x&b=2', '/a?b=2'],
    ['the last', '/a?b=2&utm_source=x', '/a?b=2'],
    ['one in the middle', '/a?b=2&gclid=x&a=1', '/a?b=2&a=1'],
    ['all, and the question mark', '/a?utm_source=x&fbclid=y', '/a'],
    ['one without a value', '/a?fbclid&b', '/a?b'],
    ['one that is written otherwise', '/a?UTM%5fSource=x&b', '/a?b'],
    ['one behind an ampersand that was escaped twice', '/a?b=2&amp;utm_source=x', '/a?b=2'],
    ['one with a semicolon in its value', '/a?utm_source=x;y&b=2', '/a?b=2'],
    ['one in front of a fragment', '/a?utm_source=x#b', '/a#b'],
  ])('are removed: %s', (_what, url, rest) => {
    expect(
      DroppedParameters.of()
        .from(H + url)
        .slice(H.length),
    ).toBe(rest)
  })

  it.each([
    '/a?b=2&a=1',
    '/a?',
    '/a?&&b&',
    '/a?my_utm_source=x',
    '/a?b=utm_source=x',
    '/a?next=%2F%3Futm_source%3Dx',
    '/utm_source=x',
    '/a#?utm_source=x',
    '/a?sid=1&PHPSESSID=2',
  ])('leave %s as it is', (url) => {
    expect(
      DroppedParameters.of()
        .from(H + url)
        .slice(H.length),
    ).toBe(url)
  })

  it.each([
    ['/list.jsp;jsessionid=0A1B?b=2', '/list.jsp?b=2'],
    ['/list.jsp;JSESSIONID=0A1B;c=3/d;jsessionid=1', '/list.jsp;c=3/d'],
    ['/a?PHPSESSID=1&b', '/a?b'],
    ['/a?ASPSESSIONIDQQ=1&b', '/a?b'],
    ['/a;b=1?sid=1', '/a;b=1?sid=1'],
  ])('are sessions where they are asked for: %s', (url, rest) => {
    expect(
      DroppedParameters.of({ tracking: false, sessions: true })
        .from(H + url)
        .slice(H.length),
    ).toBe(rest)
  })

  it.each([
    ['my name', '/a?my+name=1&b', '/a?b'],
    ['my name', '/a?b&MY%20NAME=1', '/a?b'],
    ['größe', '/a?gr%C3%B6%C3%9Fe=1&b', '/a?b'],
    ['a.b', '/a?axb=1&a.b=2', '/a?axb=1'],
    ['f[x]*', '/a?f[x][0]=1&b', '/a?b'],
  ])('may have any character in their name: %s in %s', (name, url, rest) => {
    expect(without([name], url)).toBe(rest)
  })

  it.each([
    ['/a/..;utm_a=1/c', '/c'],
    ['/a/.;utm_a=1', '/a/'],
    ['/a/b/%2E.;utm_a=1;utm_b=2?c', '/a/?c'],
    ['/a/..;utm_a=1;c=2/d', '/a/..;c=2/d'],
  ])('leave no segment of dots behind in a path: %s', (url, rest) => {
    expect(
      DroppedParameters.of()
        .from(H + url)
        .slice(H.length),
    ).toBe(rest)
  })

  it('are none of the host', () => {
    const url = 'https://a;utm_a=1/b;utm_a=1'

    expect(DroppedParameters.of().from(url)).toBe('https://a;utm_a=1/b')
  })

  it('are gone at once, and what is left is a URL as it is requested', () => {
    const tokens = [
      '/',
      '..',
      '.',
      '%2e',
      ';',
      '&',
      '?',
      '=',
      '#',
      'a',
      'utm_a',
      'UTM%5Fb',
      'jsessionid',
      '=1',
      'amp;',
      '%',
      ' ',
      '+',
      '%3B',
    ]
    const dropped = DroppedParameters.of({ sessions: true })
    const hrefs = fc.array(fc.constantFrom(...tokens), { maxLength: 16 }).map((all) => `${H}/${all.join('')}`)
    const isFixed = fc.property(hrefs, (href) => {
      const url = parseUrl(href)
      if (url === undefined) return
      const once = dropped.from(url)
      expect(dropped.from(once)).toBe(once)
      expect(parseUrl(once)).toBe(once)
    })

    fc.assert(isFixed, { numRuns: 20_000, seed: 24 })
  })

  it('are none where none are named', () => {
    expect(without([], '/a?utm_source=x')).toBe('/a?utm_source=x')
  })
})
