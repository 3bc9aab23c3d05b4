// The pages of a shop as text: by layout, and with all that is another at each visit though nothing has changed.
import type { ShopTraits } from './shop-traits.ts'
import { machinePrice, oneOf, peoplePrice, stockName, stockWords, type Look, type Shown } from './shown.ts'
import { DAY_MS } from './week.ts'

/** What surrounds a product, or a list, on its page. */
export interface Surroundings {
  readonly traits: ShopTraits
  readonly look: Look
  readonly at: number
  /** Other products, each with its price. */
  readonly related: readonly Shown[]
  readonly deliveryCents: number
  /** The visitor sees the layout that the shop is trying out. */
  readonly isExperiment: boolean
}

/** A page, with what is the same on all pages of a shop, and with what is another each time. */
export function htmlPage(
  title: string,
  head: string,
  body: string,
  { traits, look, at }: Omit<Surroundings, 'related' | 'deliveryCents' | 'isExperiment'>,
): string {
  const nonce = Math.floor(look(1) * 2 ** 32).toString(36)
  const token = Math.floor(look(2) * 2 ** 32).toString(16) + Math.floor(look(3) * 2 ** 32).toString(16)
  const banner =
    look(4) < 0.5
      ? ''
      : `<aside class="banner">${oneOf(['Summer is coming', 'Free returns', 'Newsletter: 5.00 off'], look, 5)}</aside>`
  return `<!doctype html><html lang="${traits.language}"><head><meta charset="utf-8"><title>${title}</title><meta name="csrf-token" content="${token}">
<link rel="stylesheet" href="/main.${nonce}.css">${head}</head><body data-request="${token}">${banner}
<header><nav>${FILLER}</nav></header>
<main>${body}</main><footer>${FILLER}</footer><script nonce="${nonce}">window.__t=${String(at)};window.__v="${token}"</script></body></html>`
}

const FILLER = 'Home Offers New Help Delivery Returns Contact Imprint Privacy Jobs Stores Magazine '.repeat(4)

/** Page of a product. */
export function productPage(shown: Shown, around: Surroundings): string {
  const { traits } = around
  if (traits.layout === 'json-ld')
    return htmlPage(shown.name, jsonLdScript(shown, around), `<h1>${shown.name}</h1>${forPeople(shown, around, '')}`, around)
  const body =
    traits.layout === 'microdata'
      ? microdata(shown, around)
      : `<h1>${shown.name}</h1>${forPeople(shown, around, 'price')}${skuLine(shown)}`
  return htmlPage(shown.name, '', body, around)
}

/** Page that says that there is no such product any more. */
export function gonePage(name: string, around: Surroundings): string {
  const words = {
    en: 'This product is no longer available.',
    de: 'Dieser Artikel ist nicht mehr lieferbar.',
    fr: 'Cet article n’est plus proposé.',
  }
  return htmlPage(name, '', `<h1>${name}</h1><p class="gone">${words[around.traits.language]}</p>${recommended(around)}`, around)
}

/** A page of a list whose products have pages of their own, at these paths. */
export function linkList(links: readonly (readonly [path: string, name: string])[], next: string, around: Surroundings): string {
  const entries = links.map(([path, name]) => `<li><a class="product" href="${path}">${name}</a></li>`).join('\n')
  return htmlPage('All products', '', `<h1>All products</h1><ul>${entries}</ul>${next}`, around)
}

/** A page of a list that has the prices. */
export function priceList(all: readonly Shown[], next: string, around: Surroundings): string {
  const empty = all.length === 0 ? '<p class="none">No products</p>' : ''
  if (around.traits.layout !== 'json-ld') {
    const cards = all.map((shown) => card(shown, around)).join('\n')
    return htmlPage(
      'All products',
      '',
      `<h1>All products</h1><div class="${around.isExperiment ? 'grid' : 'rows'}">${cards}</div>${empty}${next}`,
      around,
    )
  }
  const entries = all.map((shown, n) => `{"@type":"ListItem","position":${String(n + 1)},"item":${product(shown, around)}}`)
  const script = `<script type="application/ld+json">{"@context":"https://schema.org","@type":"ItemList","itemListElement":[${entries.join(',\n')}]}</script>`
  const names = all.map(({ name }) => `<li>${name}</li>`).join('')
  return htmlPage('All products', script, `<h1>All products</h1><ul>${names}</ul>${empty}${next}`, around)
}

function card({ name, sku, price, currency, availability, note }: Shown, { traits, look, isExperiment }: Surroundings): string {
  const id = sku === undefined ? '' : ` data-sku="${sku}"`
  const cost = price === undefined ? '' : `<span class="price">${peoplePrice(price, currency, traits, look)}</span>`
  const stock = availability === undefined ? '' : `<span class="stock">${stockWords(availability, traits, look)}</span>`
  const parts = isExperiment ? [stock, `<b>${name}</b>`, cost] : [`<h3>${name}</h3>`, cost, stock]
  return `<div class="card"${id}>${parts.join('')}${note ?? ''}</div>`
}

function jsonLdScript(shown: Shown, around: Surroundings): string {
  const main = product(shown, around)
  const site = '{"@type":"WebSite","name":"Shop","url":"/"}'
  const body = around.isExperiment
    ? `{"@context":"https://schema.org","@graph":[${site},{"@type":"BreadcrumbList","itemListElement":[]},${main}]}`
    : main.replace('{', '{"@context":"https://schema.org",')
  return `<script type="application/ld+json">${body}</script>`
}

/** JSON-LD with its keys in another order each time. */
function product({ name, sku, price, currency, availability }: Shown, { look, at, traits }: Surroundings): string {
  const gap = oneOf([',', ', ', ',\n  '], look, 6)
  const until = new Date(at + (1 + Math.floor(look(7) * 30)) * DAY_MS).toISOString()
  const offer = [
    '"@type":"Offer"',
    ...(price === undefined ? [] : [`"price":${machinePrice(price, look)}`]),
    ...(currency === undefined ? [] : [`"priceCurrency":"${currency}"`]),
    ...(availability === undefined ? [] : [`"availability":"${stockName(availability, look)}"`]),
    `"priceValidUntil":"${look(8) < 0.5 ? until.slice(0, 10) : until}"`,
  ]
  const members = [
    '"@type":"Product"',
    `"name":"${name}"`,
    ...(sku === undefined ? [] : [`"sku":"${sku}"`]),
    ...(price === undefined && availability === undefined ? [] : [`"offers":{${rotated(offer, look(9)).join(gap)}}`]),
    `"aggregateRating":{"@type":"AggregateRating","ratingValue":4.${String(Math.floor(look(10) * 9))},"reviewCount":${String(at % 997)}}`,
    ...(traits.kind === 'products' ? [`"image":["/i/${String(at % 7)}.jpg"]`] : []),
  ]
  return `{${rotated(members, look(15)).join(gap)}}`
}

function microdata({ name, sku, price, currency, availability, note = '' }: Shown, around: Surroundings): string {
  const { look, traits, isExperiment } = around
  const amount = price === undefined ? '' : machinePrice(price, look).replaceAll('"', '')
  const cost =
    price === undefined
      ? ''
      : isExperiment
        ? `<span itemprop="price" content="${amount}">${peoplePrice(price, currency, traits, look)}</span>`
        : `<meta itemprop="price" content="${amount}"><b>${peoplePrice(price, currency, traits, look)}</b>`
  const parts = [
    cost,
    currency === undefined ? '' : `<meta itemprop="priceCurrency" content="${currency}">`,
    availability === undefined ? '' : stockTag(stockName(availability, look)),
    `<meta itemprop="priceValidUntil" content="${new Date(around.at + DAY_MS).toISOString()}">`,
  ]
  const id = sku === undefined ? '' : `<meta itemprop="sku" content="${sku}">`
  return `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">${name}</h1>${id}
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">${rotated(parts, look(9)).join('')}</div></div>${note}${recommended(around)}`
}

/** A name alone is no address. */
function stockTag(name: string): string {
  return name.startsWith('http')
    ? `<link itemprop="availability" href="${name}">`
    : `<meta itemprop="availability" content="${name}">`
}

function forPeople({ price, currency, availability, note = '' }: Shown, around: Surroundings, priceClass: string): string {
  const { traits, look, isExperiment, deliveryCents } = around
  const tag = isExperiment ? 'ins' : 'span'
  const cost = price === undefined ? '' : `<${tag} class="${priceClass}">${peoplePrice(price, currency, traits, look)}</${tag}>`
  const stock =
    availability === undefined
      ? ''
      : `<p class="${priceClass === '' ? '' : 'stock'}">${stockWords(availability, traits, look)}</p>`
  const delivery = `<p class="delivery">+ ${peoplePrice(deliveryCents, traits.currency, traits, look)}</p>`
  const viewers = `<p>${String(2 + Math.floor(look(16) * 40))} people look at this now</p>`
  const parts = isExperiment ? [stock, viewers, cost, delivery] : [cost, delivery, stock, viewers]
  return `${parts.join('')}${note}${recommended(around)}`
}

function skuLine({ sku }: Shown): string {
  return sku === undefined ? '' : `<p>Nr. <span class="sku">${sku}</span></p>`
}

function recommended({ related, traits, look }: Surroundings): string {
  const others = related.map(
    ({ name, price = '', currency }) => `<li>${name} <i class="rec">${peoplePrice(price, currency, traits, look)}</i></li>`,
  )
  return `<ul class="also">${others.join('')}</ul>`
}

function rotated<T>(list: readonly T[], share: number): readonly T[] {
  const from = Math.floor(share * list.length)
  return [...list.slice(from), ...list.slice(0, from)]
}
