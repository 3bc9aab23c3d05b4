// A shop: `/` links to categories, they list products over several pages, a product has name, price and sku.
//
// As in real shops there are links that a polite crawl leaves alone (`rel=nofollow` to a login and to sorted lists) and many ways to one
// product (each links to two others), so that what is found depends on following the right links and on knowing URLs again.
import { gzipSync } from 'node:zlib'
import type { Chance } from '../seeded.ts'
import { extraDraft, extraLinks } from './extras.ts'
import type { PagesSpec, PriceChanges } from './host-spec.ts'
import { anchor, htmlPage, paragraphs, title } from './html.ts'
import type { Draft, Ground, Site, SiteProduct } from './site.ts'

type ShopSpec = Extract<PagesSpec, { kind: 'shop' }>

/** Builds the site. */
export function shopSite(spec: ShopSpec, ground: Ground): Site {
  const shop = new Shop(spec, ground)
  const { prices } = spec
  return {
    seeds: ['/'],
    paths: () => shop.paths,
    products: (atMs) => shop.productsAt(atMs),
    quotes: () => [],
    ...(prices && { roundAt: (atMs) => roundOf(atMs, prices) }),
    draft: (path, atMs) => shop.draft(path, atMs) ?? extraDraft(path, spec.extras, { ground, paths: shop.paths }),
  }
}

class Shop {
  readonly products: readonly SiteProduct[]
  /** Products by category, in order. A shop with fewer products than categories has fewer categories. */
  readonly #shelves: readonly (readonly SiteProduct[])[]
  readonly #bySku: ReadonlyMap<string, number>
  readonly #spec: ShopSpec
  readonly #ground: Ground
  readonly #perPage: number

  constructor(spec: ShopSpec, ground: Ground) {
    this.#spec = spec
    this.#ground = ground
    this.#perPage = spec.perPage ?? 12
    this.products = Array.from({ length: spec.products }, (_, n) => productOf(n, ground))
    this.#bySku = new Map(this.products.map(({ sku }, n) => [sku, n]))
    const categories = Math.min(spec.categories ?? 6, spec.products)
    this.#shelves = Array.from({ length: categories }, (_, shelf) => this.products.filter((_, n) => n % categories === shelf))
  }

  get paths(): readonly string[] {
    if (this.#isUnlinked) return ['/', ...this.products.map(({ path }) => path)]
    const lists = this.#shelves.flatMap((shelf, n) =>
      Array.from({ length: Math.ceil(shelf.length / this.#perPage) }, (_, page) => listPath(n, page + 1)),
    )
    return ['/', ...lists, ...this.products.map(({ path }) => path)]
  }

  /** With the prices of that moment. */
  productsAt(atMs: number): readonly SiteProduct[] {
    const { prices } = this.#spec
    return prices === undefined ? this.products : this.products.map((_, n) => this.#at(n, atMs) ?? productOf(n, this.#ground))
  }

  draft(path: string, atMs: number): Draft | undefined {
    if (path === '/') return this.#front()
    const sitemap = this.#isUnlinked ? sitemapDraft(path, this.#ground.base, () => this.productsAt(atMs)) : undefined
    if (sitemap !== undefined) return sitemap
    if (/^\/login(\?|$)/.test(path)) return htmlPage('Login', '<h1>Login</h1>\n<form method="post" action="/login"></form>')
    const [, sku] = /^\/product\/([\w-]+)$/.exec(path) ?? []
    const product = sku === undefined ? undefined : this.#bySku.get(sku)
    if (product !== undefined) return this.#product(product, atMs)
    const [, shelf, page = '1', sort] = /^\/category\/(\d+)(?:\?page=(\d+))?(?:\?sort=(price|name))?$/.exec(path) ?? []
    return shelf === undefined ? undefined : this.#list(Number(shelf), Number(page), sort)
  }

  get #isUnlinked(): boolean {
    return this.#spec.listedBy === 'sitemap'
  }

  #front(): Draft {
    if (this.#isUnlinked) return htmlPage('Shop', '<h1>Shop</h1>\n<form action="/search"></form>')
    const categories = this.#shelves.map(
      (_, n) => `<li>${anchor(listPath(n, 1), `Category ${String(n)}`, 'class="category"')}</li>`,
    )
    const login = anchor('/login?next=/', 'Login', 'rel="nofollow"')
    return htmlPage('Shop', `<h1>Shop</h1>\n${login}\n<ul>${categories.join('')}</ul>\n${extraLinks(this.#spec.extras)}`)
  }

  #list(shelf: number, page: number, sort: string | undefined): Draft | undefined {
    const products = this.#shelves[shelf]
    const from = (page - 1) * this.#perPage
    if (products === undefined || from < 0 || from >= products.length) return undefined
    const listed = (sort === undefined ? products : products.toSorted(by(sort))).slice(from, from + this.#perPage)
    const entries = listed.map(({ path, name }) => `<li>${anchor(this.#ground.base + path, name, 'class="product"')}</li>`)
    const next =
      from + this.#perPage < products.length ? anchor(`?page=${String(page + 1)}`, 'Next', 'class="next" rel="next"') : ''
    const sorts = ['price', 'name'].map((key) => anchor(`?sort=${key}`, `by ${key}`, 'class="sort" rel="nofollow"')).join(' ')
    return htmlPage(`Category ${String(shelf)}, page ${String(page)}`, `${sorts}\n<ul>${entries.join('\n')}</ul>\n${next}`)
  }

  #at(n: number, atMs: number): SiteProduct | undefined {
    const product = this.products[n]
    const { prices } = this.#spec
    if (product === undefined || prices === undefined) return product
    const chance = this.#ground.chance(`price ${String(n)}`)
    const { price, round } = priceIn(roundOf(atMs, prices), product.price, { ratio: prices.ratio, chance })
    return { ...product, price, sinceMs: round * prices.everyMs }
  }

  #product(n: number, atMs: number): Draft | undefined {
    const product = this.#at(n, atMs)
    if (product === undefined) return undefined
    const chance = this.#ground.chance(`related to ${String(n)}`)
    const related = [0, 1].map((draw) => this.products[Math.floor(chance(draw) * this.products.length)] ?? product)
    const links = related.map((other) => anchor(other.path.replace('/product/', ''), other.name, 'class="related product"'))
    const category = anchor(listPath(n % this.#shelves.length, 1), 'Back', 'class="category"')
    const shown = productMarkup(product, this.#spec.layout ?? 'classes')
    const around = this.#isUnlinked ? '' : `<p>${links.join(' ')} ${category}</p>`
    const page = htmlPage(product.name, `${shown}\n${paragraphs(chance, 600)}${around}`)
    const kind = this.#spec.prices?.validator ?? 'etag'
    const { sinceMs } = product
    return sinceMs === undefined || kind === 'none' ? page : { ...page, validator: { kind, changedAtMs: sinceMs } }
  }
}

function productOf(n: number, ground: Ground): SiteProduct {
  const chance = ground.chance(`product ${String(n)}`)
  const sku = `A-${String(n + 1).padStart(5, '0')}`
  return { path: `/product/${sku}`, sku, name: title(chance, 0, 3), price: Math.round(100 + chance(9) * 49_900) / 100 }
}

function listPath(shelf: number, page: number): string {
  return page === 1 ? `/category/${String(shelf)}` : `/category/${String(shelf)}?page=${String(page)}`
}

function by(key: string): (a: SiteProduct, b: SiteProduct) => number {
  return key === 'price' ? (a, b) => a.price - b.price : (a, b) => (a.name < b.name ? -1 : 1)
}

type Layout = NonNullable<ShopSpec['layout']>

/** How a product's page shows the product: shops differ in this more than in anything else. HTML with name, price, currency and sku. Names hold no markup. */
function productMarkup({ name, price, sku }: SiteProduct, layout: Layout): string {
  const amount = price.toFixed(2)
  if (layout === 'microdata') {
    return `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">${name}</h1><meta itemprop="sku" content="${sku}">
<p itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="${amount}"><meta itemprop="priceCurrency" content="EUR">${amount.replace('.', ',')} €</p></div>`
  }
  if (layout === 'json-ld') {
    const offers = { '@type': 'Offer', price: amount, priceCurrency: 'EUR' }
    const product = { '@context': 'https://schema.org', '@type': 'Product', name, sku, offers }
    return `<script type="application/ld+json">${JSON.stringify(product)}</script>\n<h1>${name}</h1>`
  }
  return `<h1>${name}</h1>\n<p><span class="price">${amount}</span> <span class="currency">EUR</span></p>\n<p>Sku <span class="sku">${sku}</span></p>`
}

// The sitemap of a shop: an index at /sitemap.xml, and below it a packed file with every product, as large shops have it.
const XML = 'application/xml; charset=utf-8'
const PRODUCTS = '/sitemap-products.xml.gz'

/** What stands at `path`, if it is one of the two. */
function sitemapDraft(path: string, base: string, products: () => readonly SiteProduct[]): Draft | undefined {
  if (path === '/sitemap.xml') {
    const index = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${base}${PRODUCTS}</loc></sitemap></sitemapindex>`
    return { status: 200, contentType: XML, body: index }
  }
  if (path !== PRODUCTS) return undefined
  const urls = products().map((product) => `<url><loc>${base}${product.path}</loc></url>`)
  const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('\n')}</urlset>`
  return { status: 200, contentType: 'application/gzip', body: gzipSync(text) }
}

/** A price, and the round in which it became that. */
interface RoundPrice {
  readonly price: number
  readonly round: number
}

/** The price in `round`: the one of the last round in which it changed, between 80 % and 120 % of the first. */
export function priceIn(round: number, first: number, { ratio, chance }: { ratio: number; chance: Chance }): RoundPrice {
  for (let last = round; last > 0; last--) {
    if (chance(2 * last) >= ratio) continue
    return { price: Math.round(first * (80 + 40 * chance(2 * last + 1))) / 100, round: last }
  }
  return { price: first, round: 0 }
}

/** Number of the round at `atMs` since the web was started. */
function roundOf(atMs: number, { everyMs }: PriceChanges): number {
  return Math.max(0, Math.floor(atMs / everyMs))
}
