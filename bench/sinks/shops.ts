// The shops of the killed crawl: what each page has, and what a sink must have of them in the end. Pages are a binary tree, so they are found soon.

/** What a page says of a thing on sale. */
export interface Offer {
  readonly id: string
  readonly name: string
  /** A text where there is none: the schema refuses it. */
  readonly price: number | string
}

/** The JSON of a page. */
export interface ShopPage {
  readonly offers: readonly Offer[]
  /** URLs, relative to the page. */
  readonly next: readonly string[]
}

/** Names that files have to write with care. */
const NAMES = ['tea', 'tea, green', '"best" tea', '=1+1', "'tea'", 'thé – 茶', '-5 % tea', ' tea\u2028 ']
/** One of so many pages has an offer without a price. */
const REFUSED_EACH = 10

/** What page `n` (from 1) of a shop with so many `pages` has. */
export function shopPage(shop: number, n: number, pages: number): ShopPage {
  const offers = Array.from({ length: 1 + (n % 2) }, (_, place) => ({
    id: `${String(shop)}-${String(n)}-${String(place)}`,
    name: NAMES[(n + place) % NAMES.length] ?? '',
    price: place === 0 && n % REFUSED_EACH === 0 ? 'on request' : n / 100,
  }))
  return { offers, next: [2 * n, 2 * n + 1].filter((each) => each <= pages).map((each) => `/${String(each)}`) }
}

/** Every offer of so many shops. */
export function offersOf(shops: number, pages: number): readonly Offer[] {
  return Array.from({ length: shops }, (_shop, shop) =>
    Array.from({ length: pages }, (_page, n) => shopPage(shop, n + 1, pages).offers).flat(),
  ).flat()
}
