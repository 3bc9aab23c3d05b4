// The shops that the spider is tried on, and what they sell.
import { siteModel, type SiteModel } from '@avocet/testkit'
import type { Offer } from '../spider.ts'

/** Three shops with 40 products each. Four a page, so that categories have second pages; some links lead away, some nowhere. */
export const world: SiteModel = siteModel({
  seed: 'price-watch',
  hosts: ['north', 'east', 'south'].map((name) => ({
    name: `${name}.test`,
    pages: { kind: 'shop', products: 40, perPage: 4, extras: { redirects: 1, missing: 2, documents: 1 } },
    latency: { law: 'uniform', minMs: 5, maxMs: 20 },
  })),
})

/** What the spider should find. */
export function expectedItems(model: SiteModel): readonly Offer[] {
  return model.expected.products().map(({ host, url, sku, name, price }) => {
    return { shop: new URL(model.baseOf(host)).host, sku, name, price, currency: 'EUR', url }
  })
}

/** What `avocet crawl` is told, for `model`. */
export function commandWords(model: SiteModel): readonly string[] {
  const folder = `${import.meta.dirname}/..`
  return [`${folder}/spider.ts`, '--config', `${folder}/avocet.config.ts`, '-a', `shops=${model.seeds().join(',')}`]
}
