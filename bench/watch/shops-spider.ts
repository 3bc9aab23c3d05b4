// The spider of the bench: what somebody writes who wants the prices of many shops, of pages of products and of lists, with one piece of code for all.
import { spider, type Page, type Spider } from 'avocet'
import { availabilityOf, offerOf, parsePrice, type OfferOptions } from '@avocet/extract'

/** What it finds. */
export interface ShopItem {
  readonly sku: string
  readonly name: string | undefined
  readonly price: number
  readonly currency: string
  readonly availability: string | undefined
  readonly host: string
  /** Epoch ms. */
  readonly seenAt: number
}

const OPTIONS: OfferOptions = {
  order: ['json-ld', 'microdata', 'selectors'],
  selectors: { sku: '.sku', name: 'h1', price: '.price', availability: '.stock' },
}

/** The spider over these seeds. */
export function shopsSpider(seeds: readonly string[]): Spider<ShopItem> {
  return spider({
    name: 'shops',
    seeds,
    handlers: {
      *start(page) {
        yield* page.links('a.list', { handler: 'list' })
      },
      *list(page: Page) {
        yield* page.links('a.next', { handler: 'list' })
        yield* page.links('a.product', { handler: 'product' })
        for (const item of listed(page)) if (isWhole(item)) yield { ...item, ...whereAndWhen(page) }
      },
      *product(page: Page) {
        const { sku, name, price, availability } = offerOf(page, OPTIONS) ?? {}
        const item = { sku, name, price: price?.value, currency: price?.currency, availability }
        if (isWhole(item)) yield { ...item, ...whereAndWhen(page) }
      },
    },
  })
}

type Whole = Omit<ShopItem, 'host' | 'seenAt'>
type Part = { readonly [Name in keyof Whole]: Whole[Name] | undefined }

function whereAndWhen({ url, fetchedAt }: Page): Pick<ShopItem, 'host' | 'seenAt'> {
  return { host: url.host, seenAt: fetchedAt }
}

function isWhole(item: Part): item is Whole {
  return item.sku !== undefined && item.price !== undefined && item.currency !== undefined
}

/** Products that a list gives with their prices: as an ItemList of JSON-LD, or as cards. */
function listed(page: Page): Part[] {
  const list = page.jsonLd.nodes.find((node) => node['@type'] === 'ItemList')?.['itemListElement']
  if (Array.isArray(list)) return (list as readonly { readonly item: ListedProduct }[]).map(({ item }) => fromJson(item))
  if (!page.body.includes('class="card"')) return []
  return page
    .$('.card')
    .toArray()
    .map((element) => {
      const card = page.$(element)
      const { price } = parsePrice(card.find('.price').text())
      return {
        sku: card.attr('data-sku'),
        name: card.find('h3, b').text(),
        price: price?.value,
        currency: price?.currency,
        availability: availabilityOf(card.find('.stock').text()),
      }
    })
}

interface ListedProduct {
  readonly sku?: string
  readonly name?: string
  readonly offers?: { readonly price?: string | number; readonly priceCurrency?: string; readonly availability?: string }
}

function fromJson({ sku, name, offers: { price, priceCurrency, availability } = {} }: ListedProduct): Part {
  const value = price === undefined || price === '' ? NaN : Number(price)
  return {
    ...{ sku, name, price: Number.isFinite(value) ? value : undefined, currency: priceCurrency },
    availability: availability === undefined ? undefined : availabilityOf(availability),
  }
}
