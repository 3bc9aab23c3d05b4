// Shops as pages of HTML, a handler that reads them, and the ways in which they break without an error.
import { HostPast } from '../src/host-past.ts'
import { judgePage } from '../src/judge-page.ts'
import { itemFieldsOf } from '../src/laws/item-fields.ts'
import type { BreakKind } from '../src/laws/page-evidence.ts'
import type { HealthMemory } from '../src/laws/witnesses.ts'

/** The same numbers for the same seed, in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Product {
  sku: string
  title: string
  base: number
  price: number
  inStock: boolean
  hasPrice: boolean
}

export interface Shop {
  readonly products: Product[]
  readonly style: {
    readonly jsonLd: boolean
    readonly strike: 0 | 1 | 2
    readonly german: boolean
    readonly header: boolean
    readonly currency: boolean
    readonly textPrice: boolean
    readonly soldOutPrice: boolean
  }
  readonly delivery: number
  sale: number
}

const NOUNS = 'lamp chair table shelf bed sofa desk mirror rug clock vase frame bowl plate cup knife pan pot towel basket'.split(
  ' ',
)
const WORDS = 'oak steel blue round small large nordic classic soft heavy light green'.split(' ')

export function shopOf(random: () => number, products = 20): Shop {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const soldOutPrice = random() < 0.7
  const stock = (): Pick<Product, 'inStock' | 'hasPrice'> => {
    const inStock = random() > 0.1
    return { inStock, hasPrice: soldOutPrice || inStock }
  }
  return {
    products: Array.from({ length: products }, (_, n) => {
      const base = Math.round((5 + random() ** 2 * 300) * 100) / 100
      const price = random() < 0.5 ? Math.floor(base) + 0.99 : base
      return { sku: `P-${n}`, title: `${pick(WORDS)} ${pick(WORDS)} ${pick(NOUNS)} ${n}`, base: price, price, ...stock() }
    }),
    style: {
      jsonLd: random() < 0.5,
      strike: pick([0, 1, 2] as const),
      german: random() < 0.4,
      header: random() < 0.3,
      currency: random() < 0.6,
      textPrice: random() < 0.3,
      soldOutPrice,
    },
    delivery: pick([3.9, 4.99, 5.95, 6.9]),
    sale: 1,
  }
}

export type Break = { readonly kind: BreakKind; readonly variant: number; readonly value: number }

const LOREM = {
  en: 'The chair of your home with a frame for the room and the table of the house, for you and your friends and the cat. ',
  de: 'Der Stuhl und das Haus mit der Lampe, das ist f\u00fcr ihr Zimmer und mit ihr das Bett und der Tisch. ',
}

function money(amount: number, german: boolean, sign: string): string {
  const [whole = '', part = ''] = amount.toFixed(2).split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+(?!\d))/g, german ? '.' : ',')
  return german ? `${grouped},${part} ${sign}` : `${sign}${grouped}.${part}`
}

/** A page of the shop as HTML; a layout of two, which say the same. */
function pageOf(
  shop: Shop,
  product: Product,
  { broken, layout = 0 }: { broken?: Break | undefined; layout?: number } = {},
): string {
  const { style } = shop
  const { kind, variant = 0, value = 0 } = broken ?? {}
  const isForeign = kind === 'other language or currency'
  const german = isForeign && variant !== 1 ? !style.german : style.german
  const sign = isForeign && variant !== 2 ? (style.german ? '$' : 'kr') : style.german ? '\u20ac' : '\u00a3'
  const rate = isForeign && variant !== 2 ? 1.17 : 1
  if (kind === 'block page') {
    if (variant === 0)
      return '<html><head><title>Access denied</title></head><body><h1>Access denied</h1>You have been blocked.</body></html>'
    if (variant === 1)
      return '<html lang="en"><body><h1 class="title">Just a moment</h1><p>Checking your browser before you go on.</p></body></html>'
    return '<html lang="en"><head><title>Robot check</title></head><body><h1 class="title">Are you a human?</h1><form>solve this captcha</form></body></html>'
  }
  const amount = product.price * rate
  const shown = kind === 'all values equal' && variant === 0 ? value : amount
  const price = money(shown, german, sign)
  const was = product.price < product.base ? money(product.base * rate, german, sign) : undefined
  const struck =
    was === undefined || style.strike === 0
      ? ''
      : style.strike === 1
        ? `<del>${was}</del>`
        : `<span class="price-old">${was}</span>`
  const title = isForeign && variant === 0 ? `${product.title.split('').toReversed().join('')} xx` : product.title
  let priceTag = product.hasPrice ? `${struck}<span class="${layout === 1 ? 'price big' : 'price'}">${price}</span>` : ''
  let titleTag = `<h1 class="title">${title}</h1>`
  let others = shop.products
    .slice(0, 4)
    .filter((each) => each !== product)
    .map(
      (each) =>
        `<li><a href="/p/${each.sku}">${each.title}</a><span class="other">${money(each.price * rate, german, sign)}</span></li>`,
    )
    .join('')
  let delivery = `<p class="delivery">Delivery <b>${money(shop.delivery * rate, german, sign)}</b></p>`
  let stock = `<p class="stock">${product.inStock ? 'in stock' : 'sold out'}</p>`
  if (kind === 'field missing') {
    if (variant === 0) priceTag = priceTag.replace('class="price', 'class="amount')
    if (variant === 1) titleTag = titleTag.replace('title', 'name')
    if (variant === 2) stock = stock.replace('stock', 'availability')
  }
  if (kind === 'wrong element') {
    if (variant === 0) {
      priceTag = priceTag.replace('class="price', 'class="amount')
      delivery = delivery.replace('<b>', '<b class="price">')
    }
    if (variant === 1) {
      priceTag = priceTag.replace('class="price', 'class="amount')
      others = others.replace('class="other"', 'class="price"')
    }
    if (variant === 2) titleTag = `<h1 class="title">Shop ${shop.delivery}</h1><h2>${title}</h2>`
    if (variant === 3)
      priceTag = `<span class="price">${money(shown / 12, german, sign)}</span> a month, <span class="full">${price}</span>`
    if (variant === 4) priceTag = priceTag.replace(/(\d)([.,])(\d\d)/, '$1$3')
  }
  if (kind === 'all values equal') {
    if (variant === 1)
      priceTag = `<span class="price">${money(value, german, sign)}</span>${priceTag.replace('class="price', 'class="amount')}`
    if (variant === 2) titleTag = '<h1 class="title">Our best offers</h1>'
    if (variant === 3) stock = '<p class="stock">sold out</p>'
  }
  if (kind === 'login wall') {
    const form = '<form><input name="user"><input type="password" name="p"></form>'
    if (variant === 0) return `<html lang="${german ? 'de' : 'en'}"><body><h2>Please log in</h2>${form}</body></html>`
    priceTag = variant === 1 ? `<span class="price">Log in to see prices</span>${form}` : form
  }
  if (kind === 'empty list') {
    titleTag = ''
    priceTag = ''
    stock = ''
    others = variant === 0 ? '' : '<p>0 products found</p>'
  }
  const words = LOREM[german ? 'de' : 'en'].repeat(6)
  const data =
    style.jsonLd && kind !== 'empty list'
      ? `<script type="application/ld+json">{"@type":"Product","offers":{"price":"${shown.toFixed(2)}","priceCurrency":"${sign === '\u20ac' ? 'EUR' : sign === '$' ? 'USD' : sign === 'kr' ? 'SEK' : 'GBP'}"}}</script>`
      : ''
  const lang = german ? 'de' : 'en'
  const header = style.header ? '<form class="mini"><input type="password"></form>' : ''
  return `<html lang="${lang}"><head><title>${title} | Shop ${shop.delivery}</title>${data}</head><body>${header}<nav>Free delivery from ${money(50, german, sign)}</nav>${layout === 1 ? `<main>${priceTag}${titleTag}` : `<div>${titleTag}${priceTag}`}${stock}${delivery}<p>${words}</p><ul>${others}</ul></body></html>`
}

/** What a handler reads from it. */
function itemsOf(html: string, { style }: Shop, sku: string): readonly string[] {
  const text = (name: string): string | undefined => new RegExp(`class="${name}(?: big)?">([^<]*)<`).exec(html)?.[1]?.trim()
  const [title, raw, stock] = [text('title'), text('price'), text('stock')]
  if (title === undefined && raw === undefined && stock === undefined) return []
  const digits = raw?.replaceAll(/[^\d.,]/g, '') ?? ''
  const number = /[.,]\d\d$/.test(digits)
    ? Number(`${digits.slice(0, -3).replaceAll(/[.,]/g, '')}.${digits.slice(-2)}`)
    : Number(digits.replaceAll(/[.,]/g, ''))
  const price = raw === undefined ? {} : { price: style.textPrice || !(number > 0) ? raw : number }
  const currency = style.currency && raw ? { currency: /[^\d\s.,]+/.exec(raw)?.[0] ?? null } : {}
  return [JSON.stringify({ sku, ...(title && { title }), ...price, ...currency, ...(stock && { stock }) })]
}

/** What happened to a shop that was watched. */
export class Watched {
  memory: HealthMemory = {}
  past = new HostPast(undefined, 0)
  text: string | undefined
  readonly published = new Map<number, string>()
  readonly held = new Map<number, { items: readonly string[]; at: number; sku: string; why: string }>()
  wrong = 0
  late = 0
  changes = 0
  readonly delays: number[] = []
  readonly reasons: string[] = []

  readonly shop: Shop

  constructor(shop: Shop) {
    this.shop = shop
  }

  /** The host is leased again, by another process. */
  release(): void {
    this.text = this.past.changedText(true) ?? this.text
    this.memory = JSON.parse(JSON.stringify(this.memory)) as HealthMemory
    this.past = new HostPast(this.text, 0)
  }

  visit(n: number, at: number, how: { broken?: Break | undefined; layout?: number } = {}): void {
    const product = this.shop.products[n] as Product
    const html = pageOf(this.shop, product, how)
    const items = itemsOf(html, this.shop, product.sku)
    const right = itemsOf(pageOf(this.shop, product), this.shop, product.sku).map((item) => JSON.stringify(itemFieldsOf(item)))
    const { hold, settle } = judgePage(this.past, this.memory, {
      ...{ id: n + 1, unchanged: false, items, keys: items.map(() => product.sku), rejects: 0, dropped: 0 },
      ...{
        body: Buffer.from(html),
        handler: 'product',
        url: `https://shop.test/${n}`,
        at,
      },
    })
    this.text = this.past.changedText() ?? this.text
    if (settle !== undefined) {
      if (settle === 'publish')
        for (const [id, page] of this.held)
          this.#publish(id, page.items, { right: this.held.get(id)?.sku ?? '', at, since: page.at, why: page.why })
      this.held.clear()
    }
    if (hold === undefined) {
      this.held.delete(n)
      this.#publish(n, items, { right: right.join(), at, since: at })
    } else this.held.set(n, { items, at, sku: right.join(), why: hold })
  }

  #publish(
    n: number,
    items: readonly string[],
    { right, at, since, why = '' }: { why?: string; right: string; at: number; since: number },
  ): void {
    const text = items.map((item) => JSON.stringify(itemFieldsOf(item))).join()
    if (text !== right && this.published.get(n) !== text) this.wrong++
    if (this.published.has(n) && this.published.get(n) !== text) {
      this.changes++
      this.delays.push(at - since)
      if (at - since > 5000) this.reasons.push(`${at - since} ${why}`)
    }
    this.published.set(n, text)
  }
}

/** An hour of real life. */
export function live(shop: Shop, random: () => number): void {
  for (const product of shop.products) {
    if (random() < 0.01) product.base = Math.round(product.base * (0.85 + random() * 0.3) * 100) / 100
    if (random() < 0.002) product.inStock = !product.inStock
    if (!shop.style.soldOutPrice) product.hasPrice = product.inStock
    product.price = shop.sale === 1 ? product.base : Math.round(product.base * shop.sale * 100) / 100
  }
  if (shop.sale === 1 && random() < 0.002) shop.sale = 1 - (0.1 + random() * 0.6)
  else if (shop.sale < 1 && random() < 0.03) shop.sale = 1
}
