// The shop of the example: what it sells is from a site model, and half of its pages are empty until their scripts have run.
//
// Pure: from a path to an answer. `server.ts` serves it.
import { siteModel, type ModelProduct } from '@avocet/simulator'
import type { SiteAnswer } from '../check/serve-site.ts'
import type { AppProduct } from './spider.ts'

/** Products that a list shows before somebody wants more. */
const PER_LIST = 12

const model = siteModel({ seed: 'browser-pages', hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 60 } }] })
/** Every other one is sold by the app. */
const PRODUCTS: readonly (ModelProduct & { readonly isOfTheApp: boolean })[] = model.expected
  .products()
  .map((product, n) => ({ ...product, isOfTheApp: n % 2 === 1 }))

const NOT_FOUND: SiteAnswer = { status: 404, body: 'There is no such page.' }

/** What a crawl should find. In no order. */
export function expectedOfApp(): readonly AppProduct[] {
  return PRODUCTS.map(({ sku, name, price, isOfTheApp }) => ({ sku, name, price, from: isOfTheApp ? 'scripts' : 'document' }))
}

/** `path`: with its query. */
export function shopAnswer(path: string): SiteAnswer {
  const { pathname, searchParams } = new URL(path, 'http://shop.test')
  const from = Number(searchParams.get('from') ?? 0)
  const [, sku = ''] = /\/([\w-]+)$/.exec(pathname) ?? []
  const product = PRODUCTS.find((each) => each.sku === sku)
  if (pathname === '/') return html('Shop', '<h1>Shop</h1><a href="/teas">Teas</a>')
  if (pathname === '/teas') return html('Teas', `<h1>Teas</h1><ul></ul><script>${LIST}</script>`)
  if (pathname === '/api/teas') return listed(from)
  if (product === undefined) return NOT_FOUND
  const { name, price, isOfTheApp } = product
  if (isOfTheApp && pathname === `/app/product/${sku}`) return html('Shop', `<main>Loading…</main><script>${PRODUCT}</script>`)
  if (isOfTheApp && pathname === `/api/product/${sku}`) return json({ sku, name, price })
  if (isOfTheApp || pathname !== `/product/${sku}`) return NOT_FOUND
  return html(name, `<h1>${escaped(name)}</h1><p class="sku">${sku}</p><p class="price">${price}</p>`)
}

function listed(from: number): SiteAnswer {
  const shown = PRODUCTS.slice(from, from + PER_LIST)
  const next = from + PER_LIST < PRODUCTS.length ? `/teas?from=${from + PER_LIST}` : null
  const products = shown.map(({ sku, name, isOfTheApp }) => ({ name, path: `${isOfTheApp ? '/app' : ''}/product/${sku}` }))
  return json({ products, next })
}

/** The list: its products come as JSON, and "Load more" adds those of the next part where somebody clicks it. */
const LIST = `
  const show = async (query) => {
    document.querySelector('.more')?.remove()
    const { products, next } = await (await fetch('/api/teas' + query)).json()
    for (const { name, path } of products) {
      const a = Object.assign(document.createElement('a'), { className: 'product', href: path, textContent: name })
      document.querySelector('ul').appendChild(document.createElement('li')).append(a)
    }
    if (next === null) return
    const more = Object.assign(document.createElement('a'), { className: 'more', href: next, textContent: 'Load more' })
    more.addEventListener('click', (event) => (event.preventDefault(), show(new URL(more.href).search)))
    document.body.append(more)
  }
  show(location.search)`

/** A product: its name is there first, and its price a moment later. */
const PRODUCT = `
  const main = document.querySelector('main')
  const element = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text })
  fetch('/api' + location.pathname.slice('/app'.length)).then((answer) => answer.json()).then(({ sku, name, price }) => {
    main.replaceChildren(element('h1', 'name', name), element('p', 'sku', sku))
    setTimeout(() => main.append(element('p', 'price', String(price))), 50)
  })`

function json(value: unknown): SiteAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

function html(title: string, body: string): SiteAnswer {
  const head = `<head><meta charset="utf-8"><title>${escaped(title)}</title></head>`
  return { status: 200, body: `<!doctype html><html>${head}<body>${body}</body></html>` }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
