// The shops that the spider is tried on, what they sell, and how their prices change.
import type { ItemChange } from 'avocet'
import { siteModel, type HostSpec, type SiteModel } from '@avocet/simulator'
import type { Offer } from '../spider.ts'

const LAYOUTS = ['classes', 'microdata', 'json-ld'] as const
const VALIDATORS = ['etag', 'last-modified', 'none'] as const

/** Three shops with 40 products each. Four a page, so that categories have second pages; some links lead away, some nowhere. */
export const world: SiteModel = siteModel({
  seed: 'price-watch',
  hosts: ['north', 'east', 'south'].map((name, n) => ({
    name: `${name}.test`,
    pages: {
      kind: 'shop',
      products: 40,
      perPage: 4,
      layout: LAYOUTS[n] ?? 'classes',
      extras: { redirects: 1, missing: 2, documents: 1 },
    },
    latency: { law: 'uniform', minMs: 5, maxMs: 20 },
  })),
})

/** So many shops of three products in one list, of every layout and with every way to ask for changes; in each round every other price is new. */
export function changingShops(count: number, everyMs: number): SiteModel {
  const shop = (n: number): HostSpec => ({
    name: `shop-${String(n).padStart(3, '0')}.test`,
    pages: {
      kind: 'shop',
      products: 3,
      categories: 1,
      layout: LAYOUTS[n % 3] ?? 'classes',
      prices: { everyMs, ratio: 0.5, validator: VALIDATORS[Math.floor(n / 3) % 3] ?? 'none' },
    },
    latency: { law: 'lognormal', medianMs: 60, spread: 0.5 },
  })
  return siteModel({ seed: 'price-watch', hosts: Array.from({ length: count }, (_, n) => shop(n)) })
}

/** A price in a product's history. */
export interface HistoryEntry {
  readonly url: string
  readonly price: number
}

/** Every price that a product had in the rounds from 0 to `last`, in its order, by URL. */
export function histories(model: SiteModel, last: number, everyMs: number): Map<string, number[]> {
  const prices = new Map<string, number[]>()
  for (let round = 0; round <= last; round++) {
    for (const { url, price, sinceMs } of model.expected.products(undefined, round * everyMs)) {
      const before = prices.get(url) ?? []
      // A new price may be the old one: then nothing has changed.
      if (sinceMs === round * everyMs && before.at(-1) !== price) prices.set(url, [...before, price])
    }
  }
  return prices
}

/** The prices in a file of changes. */
export function pricesIn(jsonLines: string): readonly HistoryEntry[] {
  return jsonLines.split('\n').flatMap((line) => {
    if (line === '') return []
    const { url, after } = JSON.parse(line) as ItemChange
    return after === null ? [] : [{ url, price: Number(after['price']) }]
  })
}

/** The prices found, in the order of their commits, by URL. */
export function historiesOf(items: readonly HistoryEntry[]): Map<string, number[]> {
  const prices = new Map<string, number[]>()
  for (const { url, price } of items) prices.set(url, [...(prices.get(url) ?? []), price])
  return prices
}

/** What the spider should find in one look, but for the moments at which it looked. */
export function expectedItems(model: SiteModel): readonly Omit<Offer, 'seenAt'>[] {
  return model.expected.products().map(({ host, url, sku, name, price }) => {
    return { shop: new URL(model.baseOf(host)).host, sku, name, price, currency: 'EUR', url }
  })
}

/** An item without the moment at which it was seen. */
export function withoutMoment({ seenAt: _seenAt, ...item }: Offer): Omit<Offer, 'seenAt'> {
  return item
}

/** What `avocet crawl` is told, for `model`: one look, of 53 pages a shop. */
export function commandWords(model: SiteModel): readonly string[] {
  const folder = `${import.meta.dirname}/..`
  const shops = `shops=${model.seeds().join(',')}`
  return [`${folder}/spider.ts`, '--config', `${folder}/avocet.config.ts`, '-a', shops, '--max-pages', '159']
}
