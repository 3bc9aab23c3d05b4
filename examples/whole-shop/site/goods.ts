// What the shop sells and what it says of itself: data from which the site is built, and with which a crawl of it is compared.
import type { Found } from '../found.ts'

/** A product. Some can be found in one place only. */
export interface Product {
  readonly sku: string
  readonly name: string
  /** Euro. */
  readonly price: number
  /** What members pay. */
  readonly memberPrice: number
  readonly category: string
  readonly left: number
  /** Where the site links to it. */
  readonly listedIn: 'category' | 'sitemap' | 'feed'
}

/** Categories, by the name in their URL. */
export const CATEGORIES: Readonly<Record<string, string>> = { tea: 'Tea', coffee: 'Coffee', jam: 'Jam & honey' }

const NAMES: Readonly<Record<string, readonly string[]>> = {
  tea: ['Earl Grey & lemon', 'Green "Gyokuro"', 'Rooibos', 'Mint', 'Camomile', 'Assam', 'Darjeeling', 'Oolong'],
  coffee: ['Espresso', 'Decaf', 'Filter <mild>', 'Robusta', 'Yirgacheffe', 'Sidamo', 'Java', 'Kenya AA'],
  jam: ['Strawberry', 'Açaí', 'Crème de marrons', 'Lemon curd', 'Heather honey', 'Quince', 'Fig', 'Apricot'],
}

/** The last of each category is only in the sitemap, the one before it only in the feed. */
const LISTED = ['category', 'category', 'category', 'category', 'category', 'category', 'feed', 'sitemap'] as const

/** All of them, in the order of their numbers. */
export const PRODUCTS: readonly Product[] = Object.keys(CATEGORIES).flatMap((category, c) =>
  (NAMES[category] ?? []).map((name, n) => {
    const number = c * 8 + n
    const price = (350 + number * 45) / 100
    const memberPrice = Math.round(price * 90) / 100
    const sku = `S-${String(100 + number)}`
    return { sku, name, price, memberPrice, category, left: (number * 7) % 11, listedIn: LISTED[n] ?? 'category' }
  }),
)

/** The price list: not text, and with every byte that there is. */
export const PRICE_LIST: Uint8Array = Buffer.concat([
  Buffer.from('%PDF-1.4\n'),
  ...Array.from({ length: 40 }, () => Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))),
  Buffer.from('\n%%EOF\n'),
])

/** What a crawl of the shop at `origin` should find, beside the reference of the price list. In no order. */
export function expectedOf(origin: string): readonly Found[] {
  return [
    ...PRODUCTS.map(({ sku, name, price, category }) => {
      const url = `${origin}/product/${sku}`
      return { kind: 'product' as const, sku, name, price, category: CATEGORIES[category] ?? '', url }
    }),
    ...PRODUCTS.map(({ sku, left }) => ({ kind: 'stock' as const, sku, left })),
    ...PRODUCTS.map(({ sku, memberPrice: price }) => ({ kind: 'member-price' as const, sku, price })),
  ]
}
