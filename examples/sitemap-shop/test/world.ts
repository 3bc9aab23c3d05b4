// The shop that the spider is tried on, and what stands there.
import { siteModel, type SiteModel } from '@avocet/simulator'
import type { Product } from '../spider.ts'

/** One shop of 120 products, which no page links to. */
export const world: SiteModel = siteModel({
  seed: 'sitemap-shop',
  hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 120, listedBy: 'sitemap' } }],
})

/** What the spider should find. */
export function expectedItems(model: SiteModel): readonly Product[] {
  return model.expected.products().map(({ sku, name, price }) => ({ sku, name, price }))
}

/** What `avocet crawl` is told, for `model`. */
export function commandWords(model: SiteModel): readonly string[] {
  const folder = `${import.meta.dirname}/..`
  return [`${folder}/spider.ts`, '--config', `${folder}/avocet.config.ts`, '-a', `site=${model.seeds()[0] ?? ''}`]
}
