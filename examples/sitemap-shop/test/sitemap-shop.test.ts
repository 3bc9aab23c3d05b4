// The spider finds every product once by the sitemap: on a simulated site, and through the command line on real sockets.
import { sitemaps } from '@avocet/plugin-sitemaps'
import { describe, expect, it } from 'vitest'
import { byCommand } from '../../check/by-command.ts'
import { onSimulatedWeb } from '../../check/on-simulated-web.ts'
import sitemapShop from '../spider.ts'
import { commandWords, expectedItems, world } from './world.ts'

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

  it('finds the same through the command line on the rough web', async () => {
    const result = await byCommand({ world, commandWords, expectedItems })

    expect(result).toEqual({ exitCode: 0, found: 120, differences: [] })
  })
})
