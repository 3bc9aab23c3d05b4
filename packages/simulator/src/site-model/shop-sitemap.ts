// The sitemap of a shop: an index at /sitemap.xml, and below it a packed file with every product, as large shops have it.
import { gzipSync } from 'node:zlib'
import type { Draft, SiteProduct } from './site.ts'

const XML = 'application/xml; charset=utf-8'
const PRODUCTS = '/sitemap-products.xml.gz'

/** What stands at `path`, if it is one of the two. */
export function sitemapDraft(path: string, base: string, products: () => readonly SiteProduct[]): Draft | undefined {
  if (path === '/sitemap.xml') {
    const index = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${base}${PRODUCTS}</loc></sitemap></sitemapindex>`
    return { status: 200, contentType: XML, body: index }
  }
  if (path !== PRODUCTS) return undefined
  const urls = products().map((product) => `<url><loc>${base}${product.path}</loc></url>`)
  const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('\n')}</urlset>`
  return { status: 200, contentType: 'application/gzip', body: gzipSync(text) }
}
