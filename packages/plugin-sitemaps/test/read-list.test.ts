// What is read of a sitemap or a feed, whatever it looks like: by content, not by name, and as much as there is of it.
import { readList, type ReadList } from '@avocet/plugin-sitemaps'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const AT = 'https://shop.example/maps/map.xml'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (body: string | Uint8Array, options = {}): Promise<ReadList> =>
  readList(typeof body === 'string' ? bytes(body) : body, { url: AT, ...options })
const paths = async (body: string | Uint8Array, options = {}): Promise<readonly string[]> =>
  (await read(body, options)).urls.map(({ url }) => url.replace('https://shop.example', ''))
const urlset = (...urls: readonly string[]): string =>
  `<?xml version="1.0"?><urlset>${urls.map((url) => `<url>${url}</url>`).join('')}</urlset>`
const loc = (path: string): string => `<loc>https://shop.example${path}</loc>`

describe('a sitemap', () => {
  it.each([
    ['entities', urlset(loc('/?a=1&amp;b=2&#38;c=%20&#x26;d')), ['/?a=1&b=2&c=%20&d']],
    ['an ampersand that is not escaped', urlset(loc('/?a=1&b=2&copy=3')), ['/?a=1&b=2&copy=3']],
    ['CDATA, in pieces', urlset('<loc>https://shop.example<![CDATA[/a]]><![CDATA[?b&c]]></loc>'), ['/a?b&c']],
    ['white space of any kind', urlset('<loc>\n\u00a0 https://shop.example/a\t</loc>'), ['/a']],
    ['a prefix', '<s:urlset xmlns:s="x"><s:url><s:loc>https://shop.example/a</s:loc></s:url></s:urlset>', ['/a']],
    ['upper case', '<URLSET><URL><LOC>https://shop.example/a</LOC></URL></URLSET>', ['/a']],
    [
      'pictures, news and films',
      urlset(
        `${loc('/a')}<image:image><image:loc>https://shop.example/i</image:loc></image:image><video:video><video:player_loc>x</video:player_loc></video:video>`,
      ),
      ['/a'],
    ],
    ['other languages', urlset(`${loc('/a')}<xhtml:link rel="alternate" hreflang="de" href="https://shop.example/de"/>`), ['/a']],
    ['a relative URL', urlset('<loc>/a</loc>'), ['/a']],
    ['what is no URL', urlset('<loc>mailto:a@b</loc>', '<loc></loc>', '', loc('/a')), ['/a']],
    [
      'comments and junk before its root',
      `\ufeff \n<!-- a > b --><!DOCTYPE x [<!ENTITY y "z">]><x/>${urlset(loc('/a'))}`,
      ['/a'],
    ],
    ['no end', `<urlset><url>${loc('/a')}</url><url>${loc('/b')}`, ['/a', '/b']],
  ])('is read with %s', async (_, body, expected) => {
    expect(await paths(body)).toEqual(expected)
  })

  it('that was packed and cut off gives what is there of it, without the URL at which it was cut', async () => {
    const whole = gzipSync(urlset(...Array.from({ length: 2_000 }, (_, n) => loc(`/p/${n}-${(n * 7_919) % 1_000_003}`))))
    const part = await paths(whole.subarray(0, whole.length / 2))

    expect(part.length).toBeGreaterThan(500)
    expect(part.length).toBeLessThan(1_500)
    expect(part.every((path) => /^\/p\/\d+-\d+$/.test(path))).toBe(true)
    expect((await paths(whole)).length).toBe(2_000)
  })

  it.each(['<!-- a', '<![CDATA[ a', '<?a'])('with %s and no end of that says what is left out', async (opening) => {
    const { urls, problem } = await read(`<urlset><url>${loc('/a')}</url>${opening}<url>${loc('/b')}</url></urlset>`)

    expect(urls.map(({ url }) => url)).toEqual(['https://shop.example/a'])
    expect(problem).toBe('has a comment or a section without an end: what is behind its beginning is left out')
  })

  it('that was packed and cut off says so', async () => {
    const whole = gzipSync(urlset(loc('/a')))

    expect((await read(whole.subarray(0, -9))).problem).toBe(
      'is damaged (unexpected end of file): what is behind that is left out',
    )
  })

  it.each([
    ['garbage', bytes('garbage')],
    ['a line break', bytes('\n')],
    ['zeros', new Uint8Array(512)],
  ])('that was packed, with %s behind it, is read whole', async (_, behind) => {
    const body = Buffer.concat([
      gzipSync(`<urlset><url>${loc('/a')}</url>`),
      gzipSync(`<url>${loc('/b')}</url></urlset>`),
      behind,
    ])
    const { urls, problem } = await read(body)

    expect(urls.map(({ url }) => url)).toEqual(['https://shop.example/a', 'https://shop.example/b'])
    expect(problem).toBeUndefined()
  })

  it('that was packed in 3,000 members is read whole', async () => {
    const members = Array.from({ length: 3_000 }, (_, n) => gzipSync(`<url>${loc(`/${n}`)}</url>`))

    expect((await paths(Buffer.concat([gzipSync('<urlset>'), ...members]))).length).toBe(3_000)
  })

  it('that is damaged in its middle gives what is before that, and says so', async () => {
    const packed = Buffer.from(
      gzipSync(urlset(...Array.from({ length: 5_000 }, (_, n) => loc(`/p/${n}-${(n * 7_919) % 1_000_003}`)))),
    )
    packed.fill(0xff, packed.length / 2, packed.length / 2 + 64)
    const { urls, problem } = await read(packed)

    expect(urls.length).toBeLessThan(5_000)
    expect(problem).toMatch(/^is damaged/)
  })

  it('lists pages of other languages where it is asked to', async () => {
    const body = urlset(`${loc('/a')}<xhtml:link rel="alternate" hreflang="de" href="https://shop.example/de"/>`)

    expect(await paths(body, { alternates: true })).toEqual(['/de', '/a'])
  })

  it('lists what is in its folder alone where it is read strictly', async () => {
    const body = urlset(loc('/maps/a'), loc('/a'), '<loc>https://other.example/maps/</loc>')

    expect(await paths(body, { strict: true })).toEqual(['/maps/a'])
  })

  it('says when a page was modified, and how it ranks; garbage says nothing', async () => {
    const { urls } = await read(
      urlset(
        `${loc('/a')}<lastmod>2026-11-23T10:00Z</lastmod><priority>0.8</priority>`,
        `${loc('/b')}<lastmod>now</lastmod><priority>9</priority>`,
      ),
    )

    expect(urls).toEqual([
      { url: 'https://shop.example/a', modifiedAt: Date.UTC(2026, 10, 23, 10), priority: 0.8 },
      { url: 'https://shop.example/b' },
    ])
  })

  it.each([
    ['utf-16le', Buffer.from(`\ufeff${urlset(loc('/é'))}`, 'utf16le')],
    ['utf-16le without a mark', Buffer.from(urlset(loc('/é')), 'utf16le')],
    [
      'latin1 by its declaration',
      Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url>${loc('/é')}</url></urlset>`, 'latin1'),
    ],
    ['a charset that does not exist', bytes(`<?xml version="1.0" encoding="klingon"?><urlset><url>${loc('/é')}</url></urlset>`)],
  ])('is read in %s', async (_, body) => {
    expect(await paths(body)).toEqual(['/%C3%A9'])
  })

  it('lists 50,000 URLs; what is beyond is left out and said', async () => {
    const of = (count: number): string => urlset(...Array.from({ length: count }, (_, n) => loc(`/${n}`)))
    const full = await read(of(50_000))
    const over = await read(of(50_001))

    expect([full.urls.length, full.problem]).toEqual([50_000, undefined])
    expect([over.urls.length, over.problem]).toEqual([50_000, 'lists more than 50000 URLs: what is beyond is left out'])
  })

  it('has 50 MB at most, also of a file that unpacks to thousands', async () => {
    const bomb = gzipSync(Buffer.concat([bytes(`<urlset><url>${loc('/a')}</url>`), Buffer.alloc(64 * 2 ** 20, ' ')]))
    const { urls, problem } = await read(bomb)

    expect(urls.length).toBe(1)
    expect(problem).toBe('is larger than 52428800 bytes: what is beyond is left out')
  })

  it('takes no longer where an attribute has no value', async () => {
    const tag = `<urlset ${'a'.repeat(60_000)}><url><link href ${'a'.repeat(60_000)}>`
    const before = process.cpuUsage().user
    await read(tag)

    // Five seconds when a name is looked for at each of its characters.
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(1_000)
  })
})

describe('a sitemap index', () => {
  it('lists sitemaps, on any host', async () => {
    const { kind, urls } = await read(
      '<sitemapindex><sitemap><loc>https://cdn.example/1.xml.gz</loc><lastmod>2026-01-01</lastmod></sitemap></sitemapindex>',
      { strict: true },
    )

    expect([kind, urls.map(({ url }) => url)]).toEqual(['index', ['https://cdn.example/1.xml.gz']])
  })
})

describe('a feed', () => {
  it.each([
    [
      'RSS',
      '<rss><channel><link>https://shop.example/</link><item><link>https://shop.example/a</link><pubDate>Mon, 23 Nov 2026 08:00:00 GMT</pubDate></item></channel></rss>',
    ],
    [
      'RSS 1.0',
      '<rdf:RDF xmlns:rdf="r"><channel/><item><link>https://shop.example/a</link><dc:date>2026-11-23T08:00:00Z</dc:date></item></rdf:RDF>',
    ],
    [
      'RSS with an identifier alone',
      '<rss><channel><item><guid isPermaLink="true">https://shop.example/a</guid><pubDate>23 Nov 2026 08:00:00 +0000</pubDate></item></channel></rss>',
    ],
    [
      'Atom',
      '<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><link rel="self" href="/self"/><link href="/a"/><published>2026-01-01T00:00:00Z</published><updated>2026-11-23T08:00:00Z</updated></entry></feed>',
    ],
  ])('of %s lists its entries with their dates', async (_, body) => {
    const { kind, urls } = await read(body)

    expect([kind, urls]).toEqual(['feed', [{ url: 'https://shop.example/a', modifiedAt: Date.UTC(2026, 10, 23, 8) }]])
  })
})

describe('a relative link of a feed', () => {
  const entry = (link: string, attributes = ''): string => `<entry${attributes}>${link}</entry>`
  it.each([
    ['of Atom is resolved against xml:base of the feed', `<feed xml:base="/b/">${entry('<link href="a"/>')}</feed>`, '/b/a'],
    [
      'of Atom, against that of its entry',
      `<feed xml:base="/b/">${entry('<link href="a"/>', ' xml:base="c/"')}</feed>`,
      '/b/c/a',
    ],
    ['of Atom, against its own', `<feed xml:base="/b/">${entry('<link xml:base="d/" href="a"/>')}</feed>`, '/b/d/a'],
    ['of Atom, not against one that is no URL', `<feed xml:base="ftp://x/">${entry('<link href="a"/>')}</feed>`, '/maps/a'],
    [
      'of Atom, not against that of the entry before',
      `<feed>${entry('', ' xml:base="/b/"')}${entry('<id/><link href="a"/>')}</feed>`,
      '/maps/a',
    ],
    [
      'of RSS is resolved against its URL, not its site',
      '<rss><channel><link>https://shop.example/s/</link><item><link>a</link></item></channel></rss>',
      '/maps/a',
    ],
    [
      'of RSS, against xml:base of the channel',
      '<rss><channel xml:base="/b/"><item><link>a</link></item></channel></rss>',
      '/b/a',
    ],
  ])('%s', async (_, body, expected) => {
    expect(await paths(body)).toEqual([expected])
  })
})

describe('what is no list', () => {
  it.each([
    ['an HTML page', '<!DOCTYPE html><html><body><loc>https://shop.example/a</loc></body></html>', 'is an HTML page'],
    ['XML of another kind', '<svg><url><loc>https://shop.example/a</loc></url></svg>', 'is no sitemap and no feed'],
    ['JSON', '{"items":[]}', 'is JSON, which is not read'],
    ['nothing but strange elements', '<x>'.repeat(10_000), 'is no sitemap and no feed'],
  ])('such as %s, gives no URLs and says why', async (_, body, problem) => {
    expect(await read(body)).toMatchObject({ urls: [], problem })
  })

  it.each([
    ['nothing', ''],
    ['white space', ' \n'.repeat(100_000)],
    ['bytes', Uint8Array.from({ length: 4_096 }, (_, n) => (n * 97) % 251)],
    ['half of a packed file', new Uint8Array([0x1f, 0x8b])],
  ])('such as %s, gives no URLs', async (_, body) => {
    expect((await read(body)).urls).toEqual([])
  })
})
