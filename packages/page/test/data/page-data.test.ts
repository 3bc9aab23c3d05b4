// Metadata, microdata and tables of a page.
import { describe, expect, it } from 'vitest'
import { pageWith } from '../read-page.ts'

describe('page.meta', () => {
  it('has fields by name and by property, in any case, the first and all', () => {
    const { meta } = pageWith(
      '<META NAME=Description CONTENT=" Green &amp; black "><meta property="article:tag" content=a><meta property="article:tag" content="b">' +
        "<meta name='x' content='a > b'><meta name=empty content><meta charset=utf-8><meta http-equiv=refresh content=1>",
    )

    expect(meta.names).toEqual(['description', 'article:tag', 'x', 'empty'])
    expect(meta.first('DESCRIPTION')).toBe('Green & black')
    expect(meta.all('article:tag')).toEqual(['a', 'b'])
    expect(meta.first('x')).toBe('a > b')
    expect(meta.first('empty')).toBe('')
    expect(meta.first('constructor')).toBeUndefined()
    expect(meta.all('none')).toEqual([])
  })

  it('is not misled by comments, scripts, values and tags without an end', () => {
    const { meta } = pageWith(
      '<!-- <meta name=a content=1> --><script>"<meta name=b content=1>"</script><p title="<meta name=c content=1>">' +
        '<metadata name=d content=1></metadata><textarea><meta name=e content=1></textarea><meta name=f content=1><meta name=g content=1',
    )

    expect(meta.names).toEqual(['f'])
  })

  it('is read without a DOM, as JSON-LD and Open Graph are', () => {
    const page = pageWith('<meta property="og:title" content=Tea><script type="application/ld+json">{}</script>')

    expect([page.meta.names, page.openGraph.title, page.jsonLd.nodes]).toEqual([['og:title'], 'Tea', [{}]])
    expect(page.hasDom).toBe(false)
    expect(pageWith('{"a":"<meta name=a content=1>"}', { type: 'application/json' }).meta.names).toEqual([])
  })
})

describe('page.openGraph', () => {
  it('has the basic fields, files with their parts, and the rest by name', () => {
    const fields = [
      ...['title=Tea', 'type=product', 'url=/tea?a=1', 'site_name=Shop', 'locale=de_DE', 'description=Leaves'],
      ...['image=/1.jpg', 'image:width=300', 'image:height=x', 'image:alt=A leaf', 'image:secure_url=https://cdn.example/1.jpg'],
      ...['image=/2.jpg', 'image:url=/3.jpg', 'video:url=/v.mp4', 'video:type=video/mp4', 'image=mailto:x'],
    ].map((field) => `<meta property="og:${field.replace('=', '" content="')}">`)
    const { openGraph } = pageWith(`${fields.join('')}<meta name="product:price:amount" content="12.99">`)

    expect(openGraph).toEqual({
      ...{ title: 'Tea', type: 'product', url: 'https://shop.example/tea?a=1' },
      ...{ siteName: 'Shop', locale: 'de_DE', description: 'Leaves' },
      images: [{ url: 'https://shop.example/1.jpg', width: 300, alt: 'A leaf' }, { url: 'https://shop.example/2.jpg' }],
      videos: [{ url: 'https://shop.example/v.mp4', type: 'video/mp4' }],
      audios: [],
      other: { 'product:price:amount': '12.99' },
    })
    expect(pageWith('').openGraph).toEqual({ images: [], videos: [], audios: [], other: {} })
  })
})

describe('page.microdata', () => {
  it('has items with values by element, nested items, and what itemref adds', () => {
    const page = pageWith(
      '<base href=/c/><div itemscope itemtype="https://schema.org/Product" itemref="more none">' +
        '<h1 itemprop=name>Green\n tea</h1><img itemprop=image src=1.jpg><a itemprop="url sameAs" href=tea>x</a>' +
        '<div itemprop=offers itemscope itemtype=https://schema.org/Offer><meta itemprop=price content=" 12.99 ">' +
        '<span itemprop=priceCurrency content=EUR>€</span><link itemprop=availability href=https://schema.org/InStock></div>' +
        '<time itemprop=releaseDate datetime=2026-01-01>New year</time><data itemprop=sku value=T1>No. 1</data></div>' +
        '<p id=more>By <b itemprop=brand>Leaf<br>Co</b></p>',
    )

    expect(page.microdata).toEqual([
      {
        type: ['https://schema.org/Product'],
        properties: {
          name: ['Green tea'],
          image: ['https://shop.example/c/1.jpg'],
          url: ['https://shop.example/c/tea'],
          sameAs: ['https://shop.example/c/tea'],
          offers: [
            {
              type: ['https://schema.org/Offer'],
              properties: { price: ['12.99'], priceCurrency: ['EUR'], availability: ['https://schema.org/InStock'] },
            },
          ],
          releaseDate: ['2026-01-01'],
          sku: ['T1'],
          brand: ['Leaf Co'],
        },
      },
    ])
    expect(pageWith('<p>none').microdata).toEqual([])
  })

  it('is not read in a template', () => {
    expect(pageWith('<template><p itemscope itemtype=a></template><p itemscope itemtype=b>').microdata).toEqual([
      { type: ['b'], properties: {} },
    ])
  })

  it('ends where items refer to themselves, and to each other without end', () => {
    const [circle] = pageWith(
      '<div itemscope itemref=o></div><div id=o itemprop=a itemscope itemref=o><i itemprop=b>c</i></div>',
    ).microdata
    const many = Array.from({ length: 200 }, (_, n) => `<div id=i${n} itemprop=x itemscope itemref="${ids(200)}"></div>`)

    expect(circle).toEqual({ type: [], properties: { a: [{ type: [], properties: { b: ['c'] } }] } })
    expect(pageWith(`<div itemscope itemref="${ids(200)}"></div>${many.join('')}`).microdata).toHaveLength(1)
  })

  it('reads no more than so much text, though properties are in each other', () => {
    const nested = `<div itemscope>${'<b itemprop=x>'.repeat(100)}${'tea '.repeat(250_000)}`
    const before = process.cpuUsage().user

    expect(pageWith(nested).microdata[0]?.properties['x']?.length).toBe(100)
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(5_000)
  })
})

const ids = (count: number): string => Array.from({ length: count }, (_, n) => `i${n}`).join(' ')

describe('page.absolute, page.attr and page.texts', () => {
  it('resolve, read one attribute, and read all texts', () => {
    const page = pageWith('<base href=/c/><p data-a=1> a <p>b<i> c</i><script>x</script>')

    expect(['d', '../e#f', 'mailto:x', 'https://['].map((href) => page.absolute(href))).toEqual([
      ...['https://shop.example/c/d', 'https://shop.example/e', undefined, undefined],
    ])
    expect([page.attr('p', 'data-a'), page.attr('p', 'id'), page.attr('h1', 'id')]).toEqual(['1', undefined, undefined])
    expect([page.texts('p'), page.texts('h1'), page.texts('script')]).toEqual([['a', 'b c'], [], ['x']])
  })
})
