// Regular expressions that users give: the flag `y` is refused where it would match at the beginning of a URL alone.
import { sitemaps } from '@avocet/plugin-sitemaps'
import { crawl, spider } from 'avocet'
import { describe, expect, it } from 'vitest'

const STICKY = /\/p\//y

const shop = spider({ name: 'shop', seeds: ['https://shop.test/'], handlers: { start: () => [], product: () => [] } })

describe('a regular expression that remembers where it stopped', () => {
  it.each([
    ['recrawl[0].match', () => crawl({ policies: [], spider: shop, recrawl: [{ everyMs: 5, match: STICKY }] })],
    ['sitemaps: handler', () => sitemaps({ handler: { product: STICKY } })],
  ])('with the flag y is refused as %s, for it would match no URL', (place, make) => {
    expect(make).toThrow(place)
    expect(make).toThrow('without the flag y')
  })
})
