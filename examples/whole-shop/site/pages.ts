// The pages of the shop, and its feed and sitemaps, as text: everything that anyone may see.
import { CATEGORIES, PRODUCTS, type Product } from './goods.ts'

const PER_PAGE = 4

/** The first page. */
export function homePage(): string {
  const categories = Object.entries(CATEGORIES).map(
    ([path, name]) => `<a class="category" href="/category/${path}">${escaped(name)}</a>`,
  )
  return html(
    'Shop',
    `<nav>${categories.join(' ')}</nav> <a class="members" href="/members/prices">Prices for members</a> <a href="/price-list.pdf">Price list</a>
     <a rel="nofollow" href="/basket?add=S-100">Put into the basket</a>`,
    '<link rel="alternate" type="application/rss+xml" href="/feed.xml">',
  )
}

/** Page `number`, from 1, of a category; undefined when there is none. */
export function categoryPage(path: string, number: number): string | undefined {
  const listed = PRODUCTS.filter(({ category, listedIn }) => category === path && listedIn === 'category')
  const shown = listed.slice((number - 1) * PER_PAGE, number * PER_PAGE)
  if (shown.length === 0) return undefined
  const products = shown.map(
    ({ sku, name }) => `<li><a class="product" href="/product/${sku}?from=${path}">${escaped(name)}</a></li>`,
  )
  const next = number * PER_PAGE < listed.length ? `<a rel="next" href="?page=${String(number + 1)}">Next</a>` : ''
  return html(CATEGORIES[path] ?? '', `<ul>${products.join('')}</ul>${next}`)
}

/** The page of a product, with JSON-LD: of coffee in a `@graph` among other things. */
export function productPage({ sku, name, price, category }: Product): string {
  const product = {
    '@type': 'Product',
    sku,
    name,
    category: CATEGORIES[category],
    offers: { '@type': 'Offer', price: price.toFixed(2), priceCurrency: 'EUR' },
  }
  const graph = { '@context': 'https://schema.org', '@graph': [{ '@type': 'BreadcrumbList' }, product] }
  const data = category === 'coffee' ? graph : { '@context': 'https://schema.org', ...product }
  const script = `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`
  return html(name, `<h1>${escaped(name)}</h1>`, `<link rel="canonical" href="/product/${sku}">${script}`)
}

/** RSS: what is new. */
export function feed(origin: string): string {
  const items = PRODUCTS.filter(({ listedIn }) => listedIn === 'feed').map(
    ({ sku, name }) => `<item><title>${escaped(name)}</title><link>${origin}/product/${sku}</link></item>`,
  )
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>New</title>${items.join('')}</channel></rss>`
}

/** The sitemap that leads to the other one. */
export function sitemapIndex(origin: string): string {
  return `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${origin}/sitemap-products.xml.gz</loc></sitemap></sitemapindex>`
}

/** The sitemap of products, before it is compressed. */
export function sitemapOfProducts(origin: string): string {
  const urls = PRODUCTS.filter(({ listedIn }) => listedIn !== 'feed').map(
    ({ sku }) => `<url><loc>${origin}/product/${sku}</loc></url>`,
  )
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('\n')}</urlset>`
}

/** A page. */
export function html(title: string, body: string, head = ''): string {
  return `<!doctype html><html><head><meta charset="utf-8"><title>${escaped(title)}</title>${head}</head><body>${body}</body></html>`
}

/** Text as HTML and XML write it. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
