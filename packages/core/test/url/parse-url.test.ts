// The URL parser: what is a target, and that the quick path and the WHATWG parser never disagree.
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { noTarget, parseUrl } from '../../src/url/parse-url.ts'

const BASE = 'https://shop.example/a/b?c=d'

/** What the platform says, with the same things left out. */
function whatwg(href: string, base: string): string | undefined {
  const url = URL.parse(href, base)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  url.username = ''
  url.password = ''
  if (/^\.|\.\./.test(url.hostname)) return undefined
  url.hostname = url.hostname.replace(/\.$/, '')
  const plain = url.href.replace(/#.*$/s, '')
  return plain.length > 8_000 ? undefined : plain
}

describe('parseUrl', () => {
  it.each([
    ['c', 'https://shop.example/a/c'],
    ['/c', 'https://shop.example/c'],
    ['../c', 'https://shop.example/c'],
    ['../../../c', 'https://shop.example/c'],
    ['./c', 'https://shop.example/a/c'],
    ['?x=1', 'https://shop.example/a/b?x=1'],
    ['', 'https://shop.example/a/b?c=d'],
    ['#top', 'https://shop.example/a/b?c=d'],
    ['c#top', 'https://shop.example/a/c'],
    ['//other.example/c', 'https://other.example/c'],
    ['HTTP://OTHER.example:80/c', 'http://other.example/c'],
    ['http://me:secret@other.example/', 'http://other.example/'],
    ['  /c\n', 'https://shop.example/c'],
    ['/c d', 'https://shop.example/c%20d'],
    ['/%2e%2e/c', 'https://shop.example/c'],
    ['/é', 'https://shop.example/%C3%A9'],
    ['\\\\other.example\\c', 'https://other.example/c'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['https://www.shop.example./', 'https://www.shop.example/'],
    ['https://www.shop.example.:8443/a.b', 'https://www.shop.example:8443/a.b'],
    ['//127.0.0.1./', 'https://127.0.0.1/'],
  ])('resolves %j', (href, expected) => {
    expect(parseUrl(href, BASE)).toBe(expected)
  })

  it.each([
    'mailto:me@shop.example',
    'javascript:void(0)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'ftp://shop.example/',
    'http://',
    'http:// x/',
    'http://[::%31]/',
    // Names with an empty label, which DNS has not (RFC 1035 §3.1); the dot at the end of a name is none.
    'http://./',
    'https://../c',
    'http://shop.example../',
    '//.shop.example/',
    'http://shop..example/',
    'http://%2e/',
    'http://shop.example。。/',
  ])('finds no target in %j', (href) => {
    expect(parseUrl(href, BASE)).toBeUndefined()
  })

  it('takes 8,000 bytes, as RFC 9110 asks for, and refuses 8,001', () => {
    const start = 'https://shop.example/'

    expect(parseUrl(start + 'x'.repeat(8_000 - start.length))).toHaveLength(8_000)
    expect(parseUrl(start + 'x'.repeat(8_001 - start.length))).toBeUndefined()
    expect(parseUrl(start + 'é'.repeat(1_400))).toBeUndefined()
  })

  describe('hosts that no name server can know never reach the parser, which is quadratic in a label', () => {
    // All different: that is what the parser's time is quadratic in.
    const ideographs = (count: number): string =>
      Array.from({ length: count }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000))).join('')
    const hosts = {
      'one label of 4,000 ideographs': `${ideographs(4_000)}.example`,
      'the same, percent-encoded': `${encodeURIComponent(ideographs(1_700))}.example`,
      'the same behind credentials': `me@you:secret@${ideographs(4_000)}.example:8080`,
      'ideographic full stops between labels': Array.from({ length: 90 }, () => ideographs(40)).join('\u3002'),
      'combining marks': `a${'\u0301\u0323'.repeat(2_000)}.example`,
    }

    it.each(Object.entries(hosts))('%s', (_name, host) => {
      const before = process.cpuUsage()
      for (let n = 0; n < 100; n++) {
        expect(parseUrl(`http://${host}/${n}`, BASE)).toBeUndefined()
        expect(parseUrl(`\t//${host}/${n}`, BASE)).toBeUndefined()
        expect(parseUrl(`ht\ntp:\\\\${host}/${n}`)).toBeUndefined()
      }
      const { user, system } = process.cpuUsage(before)

      // 3 s and more when they are parsed.
      expect((user + system) / 1_000).toBeLessThan(1_000)
    })

    it('takes a name of 253 octets and labels of 63, and no longer ones', () => {
      const label = 'a'.repeat(63)
      const name = `${label}.${label}.${label}.${'a'.repeat(61)}`

      expect(name).toHaveLength(253)
      expect(parseUrl(`http://${name}/`)).toBe(`http://${name}/`)
      expect(parseUrl(`http://${name}.:8080/`)).toBe(`http://${name}:8080/`)
      expect(parseUrl(`HTTP://u:p@${name}/`)).toBe(`http://${name}/`)
      expect(parseUrl(`http://b${name}/`)).toBeUndefined()
      expect(parseUrl(`http://${name}a/`)).toBeUndefined()
      expect(parseUrl(`HTTP://${name}a/`)).toBeUndefined()
      expect(parseUrl(`http://b${label}.example/`)).toBeUndefined()
      expect(parseUrl(`HTTP://b${label}.example/`)).toBeUndefined()
      expect(parseUrl(`http://${ideographs(59)}.example/`)).toBeUndefined()
      expect(parseUrl(`http://${'%61'.repeat(63)}.example/`)).toBe(`http://${label}.example/`)
      expect(parseUrl(`/${'a'.repeat(300)}`, BASE)).toBe(`https://shop.example/${'a'.repeat(300)}`)
      expect(parseUrl(`\u00e9${'a'.repeat(300)}`, BASE)).toBe(`https://shop.example/a/%C3%A9${'a'.repeat(300)}`)
    })
  })

  it('looks at no more than 16 KiB before the fragment, and at nothing of a fragment', () => {
    expect(parseUrl(`/é#${'x'.repeat(20_000)}`, BASE)).toBe('https://shop.example/%C3%A9')
    expect(parseUrl(`${' '.repeat(16_000)}/c`, BASE)).toBe('https://shop.example/c')
    expect(parseUrl(`${' '.repeat(16_384)}/c`, BASE)).toBeUndefined()
  })

  it('knows no relative URL without a base, nor with a base that is none', () => {
    expect(parseUrl('/c')).toBeUndefined()
    expect(parseUrl('/c', 'about:blank')).toBeUndefined()
    expect(parseUrl('https://shop.example/c', 'about:blank')).toBe('https://shop.example/c')
  })

  it('agrees with the WHATWG parser on everything but the dot at the end of a name', () => {
    const piece = fc.constantFrom(
      ...Array.from('ab/.:?#%&=@-_~\\ \t;é[]|\'"0x'),
      '..',
      '../',
      './',
      '%2e',
      '%2F',
      '//',
      'http:',
      'https://',
      'h.example',
      'xn--',
      '127.1',
      'a.b-',
      '*',
    )
    const href = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''))
    const base = fc.constantFrom(
      BASE,
      'http://h.example',
      'http://h.example:8080/x//y/?q#f',
      'https://u:p@h.example/a/b/c/',
      'http://h.example/?',
      'http://[::1]/a/',
    )

    fc.assert(
      fc.property(href, base, (given, against) => {
        expect(parseUrl(given, against)).toBe(whatwg(given, against))
        expect(parseUrl(`https://${given}`, against)).toBe(whatwg(`https://${given}`, against))
      }),
      { numRuns: 20_000 },
    )
  })
})

describe('a link that no URL parser takes', () => {
  it.each([
    ['http://', true],
    ['http://a b/', true],
    ['http://[::1/', true],
    ['http://h:99999/', true],
    ['/path', false],
    ['', false],
    ['mailto:me@h.example', false],
    ['javascript:void(0)', false],
    [`http://${'a'.repeat(64)}.example/`, false],
  ])('of %s is %s: something else than a target is written well', (href, expected) => {
    expect(noTarget(href, BASE) === 'malformed').toBe(expected)
  })

  it('never hands the parser what cannot become a target, which may take it 26 ms a link', () => {
    const parsed = vi.spyOn(URL, 'canParse')
    onTestFinished(() => parsed.mockRestore())
    const host = Array.from({ length: 4_000 }, (_, k) => String.fromCharCode(0x4e00 + ((k * 7_919) % 20_000))).join('')

    for (const href of [`http://${host}/`, `//${host}/`, `http://u@${host}.example/`, `/${'p'.repeat(20_000)}`, `data:${host}`])
      expect(noTarget(href, BASE)).not.toBe('malformed')
    expect(parsed).not.toHaveBeenCalled()
  })
})

describe('a link that cannot be requested', () => {
  it.each([
    ['mailto:me@shop.example', 'not-http'],
    ['javascript:void(0)', 'not-http'],
    ['http://a..b/', 'bad-host'],
    ['http://[::1/', 'malformed'],
    [`/${'a'.repeat(9_000)}`, 'url-too-long'],
    [`/${'a'.repeat(30_000)}`, 'url-too-long'],
  ] as const)('%s is so because it is %s', (href, why) => {
    expect(parseUrl(href, BASE)).toBeUndefined()
    expect(noTarget(href, BASE)).toBe(why)
  })
})
