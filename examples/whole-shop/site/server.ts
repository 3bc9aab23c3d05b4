// Serves the shop on this machine. Run it by itself to have a shop to crawl: node site/server.ts [port]
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { serveSite, type ServedSite, type ServeOptions, type SiteAnswer } from '../../check/serve-site.ts'
import { PRICE_LIST, PRODUCTS } from './goods.ts'
import { Members } from './members.ts'
import { categoryPage, feed, homePage, productPage, sitemapIndex, sitemapOfProducts } from './pages.ts'

/** A shop that is open. */
export interface OpenShop extends ServedSite {
  readonly members: Members
}

const NOT_FOUND: SiteAnswer = { status: 404, body: 'There is no such page.' }
const STOCK_PER_PAGE = 8

/** Opens it. */
export async function openShop(options: ServeOptions = {}): Promise<OpenShop> {
  const members = new Members()
  const served = await serveSite((request) => answerTo(request, members, `http://${request.headers.host ?? ''}`), options)
  return { ...served, members }
}

async function answerTo(request: IncomingMessage, members: Members, origin: string): Promise<SiteAnswer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', origin)
  const number = Number(searchParams.get('page') ?? 1)
  if (pathname === '/login' || pathname.startsWith('/members/')) return memberAnswer(request, members, { pathname, number })
  if (pathname === '/api/stock') return stock(request)
  if (request.method !== 'GET') return { status: 405, headers: { allow: 'GET' }, body: '' }
  const [, folder, name = ''] = pathname.split('/')
  if (folder === 'category') return page(categoryPage(name, number))
  if (folder === 'product') return productAnswer(name, searchParams)
  return files(origin)[pathname] ?? NOT_FOUND
}

function files(origin: string): Readonly<Record<string, SiteAnswer>> {
  const xml = { 'content-type': 'application/xml' }
  return {
    '/': page(homePage()),
    '/robots.txt': {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: `User-agent: *\nDisallow: /basket\nSitemap: ${origin}/sitemap.xml\n`,
    },
    '/sitemap.xml': { status: 200, headers: xml, body: sitemapIndex(origin) },
    // A file that is compressed, not an answer that is: clients do not unpack it.
    '/sitemap-products.xml.gz': {
      status: 200,
      headers: { 'content-type': 'application/gzip' },
      body: gzipSync(sitemapOfProducts(origin)),
    },
    '/feed.xml': { status: 200, headers: { 'content-type': 'application/rss+xml' }, body: feed(origin) },
    '/price-list.pdf': { status: 200, headers: { 'content-type': 'application/pdf' }, body: PRICE_LIST },
  }
}

/** Lists link to products with a parameter that says where one came from; it redirects to the page itself. */
function productAnswer(sku: string, searchParams: URLSearchParams): SiteAnswer {
  const product = PRODUCTS.find((one) => one.sku === sku)
  if (product === undefined) return NOT_FOUND
  if (searchParams.size > 0) return { status: 301, headers: { location: `/product/${sku}` }, body: '' }
  return page(productPage(product))
}

async function memberAnswer(
  request: IncomingMessage,
  members: Members,
  { pathname, number }: { readonly pathname: string; readonly number: number },
): Promise<SiteAnswer> {
  const cookies = new Map((request.headers.cookie ?? '').split('; ').map((pair) => pair.split('=') as [string, string]))
  const [visit, session] = [cookies.get('visit'), cookies.get('session')]
  if (pathname === '/login' && request.method === 'GET') return members.form(visit)
  if (pathname === '/login') return members.signIn(visit, new URLSearchParams(await text(request)))
  if (pathname === '/members/welcome') return members.welcome(session)
  return pathname === '/members/prices' ? members.prices(session, number) : NOT_FOUND
}

/** An API as scripts of a page use it: JSON by POST, and the next page by where the last one ended. */
async function stock(request: IncomingMessage): Promise<SiteAnswer> {
  if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' }, body: '' }
  if (request.headers['content-type'] !== 'application/json') return { status: 415, body: '' }
  const { after } = JSON.parse(await text(request)) as { after: string | null }
  const from = PRODUCTS.findIndex(({ sku }) => sku === after) + 1
  const shown = PRODUCTS.slice(from, from + STOCK_PER_PAGE)
  const next = from + STOCK_PER_PAGE < PRODUCTS.length ? (shown.at(-1)?.sku ?? null) : null
  const body = JSON.stringify({ stock: shown.map(({ sku, left }) => ({ sku, left })), next })
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

function page(body: string | undefined): SiteAnswer {
  return body === undefined ? NOT_FOUND : { status: 200, body }
}

if (import.meta.main) {
  const { origin } = await openShop({ port: Number(process.argv[2] ?? 8044) })
  console.log(`The shop is open: ${origin}/`)
}
