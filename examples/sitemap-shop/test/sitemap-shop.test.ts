// The spider finds every product once by the sitemap on a simulated site.
import { sitemaps } from '@avocet/plugin-sitemaps'
import { describe, expect, it } from 'vitest'
import { onSimulatedWeb } from '../../check/on-simulated-web.ts'
import sitemapShop from '../spider.ts'
import { expectedItems, world } from './world.ts'

describe('the spider of a shop that only its sitemap leads to', () => {
  it('finds every product once on the simulated web', async () => {
    const spider = sitemapShop({ site: 'http://shop.test/' })
    const plugins = [sitemaps({ handler: { product: /\/product\// } })]

    const { items, report } = await onSimulatedWeb(world, { spider, plugins })

    expect(items.map(({ sku }) => sku).toSorted()).toEqual(
      expectedItems(world)
        .map(({ sku }) => sku)
        .toSorted(),
    )
    expect(report.sources?.map(({ links, added }) => [links, added])).toEqual([
      [1, 1],
      [120, 120],
    ])
  })

  it('finds nothing without it', async () => {
    const { items } = await onSimulatedWeb(world, { spider: sitemapShop({ site: 'http://shop.test/' }) })

    expect(items).toEqual([])
  })
})
