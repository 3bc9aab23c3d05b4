// A recorded page is read as a crawl would read it.
import { link, spider, spiderWith } from 'avocet'
import { describe, expect, it } from 'vitest'
import { readPage, recordedPage } from '../src/index.ts'

const shop = spider({
  name: 'shop',
  seeds: [],
  handlers: {
    *start(page) {
      yield* page.links('a.offer', { handler: 'offer' })
      yield link('https://else.example/')
    },
    async *offer(page) {
      yield { name: page.text('h1'), from: page.request.data }
    },
  },
})
const url = 'https://shop.example/list/'

describe('readPage', () => {
  it('gives the links of a page, resolved, with who is to read them', async () => {
    const { items, links } = await readPage(shop, { url, body: '<a class=offer href="../7">Tea</a><a href="/about">About</a>' })

    expect(items).toEqual([])
    expect(links.map((one) => [one.url, one.options.handler])).toEqual([
      ['https://shop.example/7', 'offer'],
      ['https://else.example/', undefined],
    ])
  })

  it('gives the items of the handler that is named, which sees what its link carried', async () => {
    const { items } = await readPage(shop, { url, body: '<h1> Green\n tea </h1>', handler: 'offer', data: { shelf: 3 } })

    expect(items).toEqual([{ name: 'Green tea', from: { shelf: 3 } }])
  })

  it('reads bytes in the charset that their headers say', async () => {
    const body = Uint8Array.from([0x3c, 0x68, 0x31, 0x3e, 0xe9])
    const { items } = await readPage(shop, {
      url,
      body,
      handler: 'offer',
      headers: { 'content-type': 'text/html; charset=iso-8859-1' },
    })

    expect(items).toMatchObject([{ name: 'é' }])
  })

  it.each([
    ['<ul><li><a href="7">Tea</a></ul>', true],
    ['<link rel="canonical" href="7"><main>Tea</main>', true],
    ['<rss><channel><link>https://shop.example/7</link></channel></rss>', false],
    ['<?xml version="1.0"?><urlset></urlset>', false],
    ['{ "a": "<b>" }', false],
  ])('takes a part of a page for HTML, and data not: %s', (body, isHtml) => {
    expect(recordedPage({ url, body }).isHtml).toBe(isHtml)
  })

  it('takes a spider, and no function that makes one of arguments', async () => {
    const maker = spiderWith({ city: 'text' }, () => shop)

    await expect(readPage(maker as unknown as typeof shop, { url, body: '' })).rejects.toMatchObject({
      code: 'AVO_SPIDER_INVALID',
      message: 'expected a spider, got a function that makes one of arguments; call it: await shop({ … })',
    })
    expect((await readPage(await maker({ city: 'oslo' }), { url, body: '<h1>Tea</h1>', handler: 'offer' })).items).toHaveLength(1)
  })

  it('names the handlers that there are', async () => {
    await expect(readPage(shop, { url, body: '', handler: 'offers' })).rejects.toThrow(
      'expected a handler of the spider (start, offer), got offers',
    )
  })
})
