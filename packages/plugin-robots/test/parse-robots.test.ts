// What is read of a robots.txt beside its rules, and how much of it.
import { crawlDelayMs, isAllowed, parseRobots, productToken, sitemapsOf } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'

describe('Crawl-delay', () => {
  it.each([
    ['a whole number', 'User-agent: *\nCrawl-delay: 10', 10_000],
    ['a fraction', 'User-agent: *\nCrawl-delay: 0.5', 500],
    ['a fraction without a zero', 'User-agent: *\nCrawl-delay: .5', 500],
    ['very little', 'User-agent: *\nCrawl-delay: 0.0001', 0.1],
    ['after the rules', 'User-agent: *\nDisallow: /a\nCrawl-delay: 3', 3_000],
    ['of two the longer', 'User-agent: *\nCrawl-delay: 3\nCrawl-delay: 2', 3_000],
    ['of two groups the longer', 'User-agent: *\nCrawl-delay: 2\n\nUser-agent: *\nCrawl-delay: 3', 3_000],
    ['our own before that of everybody', 'User-agent: *\nCrawl-delay: 9\n\nUser-agent: avocet\nCrawl-delay: 1', 1_000],
    ['none when we are named without one', 'User-agent: *\nCrawl-delay: 9\n\nUser-agent: avocet\nDisallow: /a', undefined],
    ['of all who are named above it', 'User-agent: avocet\nUser-agent: b\nCrawl-delay: 4', 4_000],
    ['not of who is named below it', 'User-agent: b\nCrawl-delay: 4\nUser-agent: *\nDisallow: /a', undefined],
    [
      'not of who is named below it, with one of his own',
      'User-agent: avocet\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 9',
      1_000,
    ],
    ['a negative number', 'User-agent: *\nCrawl-delay: -1', undefined],
    ['not a number', 'User-agent: *\nCrawl-delay: NaN', undefined],
    ['a power', 'User-agent: *\nCrawl-delay: 1e9', undefined],
    ['without end', 'User-agent: *\nCrawl-delay: Infinity', undefined],
    ['more than a day', 'User-agent: *\nCrawl-delay: 86401', undefined],
    ['so many digits that they are no number', `User-agent: *\nCrawl-delay: ${'9'.repeat(400)}`, undefined],
    ['words', 'User-agent: *\nCrawl-delay: ten seconds', undefined],
    ['before any name', 'Crawl-delay: 5\nUser-agent: *', undefined],
  ])('%s', (_what, text, expected) => {
    expect(crawlDelayMs(parseRobots(text), 'avocet')).toBe(expected)
  })

  it('that is no plausible number is counted as ignored', () => {
    expect(parseRobots('User-agent: *\nCrawl-delay: -1\nHello\n# a comment\n\nDisallow: /').ignoredLines).toBe(2)
  })
})

describe('sitemaps', () => {
  it('belong to no group, are made absolute, and each is given once', () => {
    const robots = parseRobots(
      'Sitemap: /a.xml\nUser-agent: b\nSitemap: https://cdn.test/ü.xml\nsite-map: /a.xml\nSitemap: ftp://x/\nSitemap:',
    )

    expect(sitemapsOf(robots, 'https://shop.test')).toEqual(['https://shop.test/a.xml', 'https://cdn.test/%C3%BC.xml'])
  })

  it('are at most 500', () => {
    const text = Array.from({ length: 600 }, (_, n) => `Sitemap: /${n}.xml`).join('\n')

    expect(parseRobots(text).sitemaps.length).toBe(500)
  })
})

describe('the size', () => {
  const lines = (count: number): string => 'User-agent: *\n' + 'Disallow: /0123456789\n'.repeat(count)

  it('of 500 KiB is read', () => {
    const text = `${lines(1)}${'#'.repeat(500 * 1024 - 60)}\nDisallow: /last`

    expect(text.length).toBeLessThan(500 * 1024)
    expect(parseRobots(text)).toMatchObject({ truncated: false })
    expect(isAllowed(parseRobots(text), 'x', 'http://shop.test/last')).toBe(false)
  })

  it('beyond it is not, and neither is the line that is cut: half a rule is another rule', () => {
    const text = `${lines(1)}${'#'.repeat(500 * 1024 - 50)}\nDisallow: /last`

    expect(text.length).toBeGreaterThan(500 * 1024)
    expect(parseRobots(text).truncated).toBe(true)
    expect(isAllowed(parseRobots(text), 'x', 'http://shop.test/las')).toBe(true)
    expect(isAllowed(parseRobots(Buffer.from(text)), 'x', 'http://shop.test/0123456789')).toBe(false)
  })
})

describe('bytes', () => {
  it.each([
    ['little-endian', [0xff, 0xfe], (text: string) => Buffer.from(text, 'utf16le')],
    ['big-endian', [0xfe, 0xff], (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ])('of UTF-16, %s, are read by their byte order mark', (_which, mark, encode) => {
    const bytes = Buffer.concat([Buffer.from(mark), encode('User-agent: *\nDisallow: /bücher')])

    expect(isAllowed(parseRobots(bytes), 'x', 'http://shop.test/b%C3%BCcher')).toBe(false)
  })

  it.each([[[]], [[0xff]], [[0xff, 0xfe]], [[0xfe, 0xff, 0x00]], [[0xef, 0xbb]], [[0, 0, 0]]])('%j allow everything', (bytes) => {
    expect(isAllowed(parseRobots(Uint8Array.from(bytes)), 'x', 'http://shop.test/a')).toBe(true)
  })
})

describe('productToken', () => {
  it.each([
    ['Price-Watch/1.2 (+https://example.org/bot)', 'price-watch'],
    [' avocet ', 'avocet'],
    ['MJ12bot', 'mj12bot'],
    ['*', undefined],
    ['', undefined],
  ])('of %j is %s', (userAgent, token) => {
    expect(productToken(userAgent)).toBe(token)
  })
})
