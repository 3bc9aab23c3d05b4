// Reads the product of a page from Open Graph, and from selectors that a user gives.
import type { Page } from '@avocet/core'
import { elementText, isElement, isOldPrice, type DomElement } from '@avocet/page'
import { currencyNamed } from './currencies.ts'
import { readMachinePrice } from './offered-price.ts'
import type { OfferSelectors, ProductFacts } from './offer.ts'
import { parsePrice, type Price, type PriceHint } from './price.ts'
import { isListPrice } from './price-words.ts'
import { FactReader, stated, type SourceReading } from './source-reading.ts'

/** Nodes and characters: a longer text is no price. */
const MAX_PRICE_TEXT = 10_000

/** What Open Graph says. Source: ogp.me; Facebook's "Product" object and catalogue fields; what Shopify writes (`og:price:amount`). */
export function readOpenGraph(page: Page, hint: PriceHint): SourceReading {
  const reader = new FactReader('open-graph')
  const { meta, openGraph } = page
  const field = (...names: readonly string[]): string | undefined =>
    names.map((name) => meta.first(name)).find((text) => text !== undefined && text !== '')
  const price = (...names: readonly string[]): Price | undefined => {
    for (const name of names) {
      const text = field(`${name}:amount`)
      if (text === undefined) continue
      const currency = field(`${name}:currency`, 'product:price:currency', 'og:price:currency')
      return reader.price(readMachinePrice(text, { ...hint, ...(currency !== undefined && { currency }) }), text)
    }
    return undefined
  }
  const [sale, regular] = [price('product:sale_price'), price('product:price', 'og:price')]
  const availability = field('product:availability', 'og:availability')
  // Any page has a title and an image.
  const isProduct = (sale ?? regular ?? availability) !== undefined || /product/.test(openGraph.type ?? '')
  if (!isProduct) return { source: 'open-graph', facts: {}, variants: [], unread: reader.unread }
  const facts = stated({
    name: openGraph.title,
    sku: field('product:retailer_item_id', 'product:retailer_part_no'),
    gtin: reader.gtin(field('product:gtin', 'product:ean', 'product:upc', 'product:isbn')),
    brand: field('product:brand', 'og:brand'),
    condition: field('product:condition'),
    url: openGraph.url,
    image: openGraph.images[0]?.url,
    price: sale ?? regular,
    listPrice: price('product:original_price', 'og:price:standard') ?? (sale === undefined ? undefined : regular),
    availability: reader.availability(availability),
  })
  return { source: 'open-graph', facts, variants: [], unread: reader.unread }
}

/** What the elements of `selectors` say. */
export function readSelectors(page: Page, selectors: OfferSelectors, hint: PriceHint): SourceReading {
  const reader = new FactReader('selectors')
  const text = (fact: keyof OfferSelectors, read = (at: string): string => page.text(at)): string | undefined => {
    const selector = selectors[fact]
    if (selector === undefined) return undefined
    const found = page.attr(selector, 'content')?.trim() || read(selector)
    return found === '' ? undefined : found
  }
  const currency = text('currency')
  const price = (fact: 'price' | 'listPrice'): Price | undefined => {
    const whole = text(fact, (selector) => priceText(page, selector))
    const given = fact === 'price' ? text(fact, (selector) => priceText(page, selector, isOldPrice)) : whole
    if (given === undefined) return undefined
    const known = currency === undefined ? undefined : currencyNamed(currency)
    const reading = parsePrice(given, { ...hint, ...(known !== undefined && { currency: known }) })
    // Where something was struck through, the word for an old price is that of it: "was ~£20~ now £15".
    const isOld = fact === 'price' && given === whole && reading.price !== undefined && isListPrice(given)
    return reader.price(isOld ? { price: undefined, reason: 'not-the-price' } : reading, given, fact)
  }
  const facts: ProductFacts = stated({
    name: text('name'),
    sku: text('sku'),
    gtin: reader.gtin(text('gtin')),
    brand: text('brand'),
    price: price('price'),
    listPrice: price('listPrice'),
    availability: reader.availability(text('availability')),
  })
  return { source: 'selectors', facts, variants: [], unread: reader.unread }
}

/** With spaces between lines, and raised cents. */
function priceText(page: Page, selector: string, isLeftOut?: (element: DomElement) => boolean): string {
  const element = page.$(selector).get(0)
  return element === undefined || !isElement(element) ? '' : elementText(element, { left: MAX_PRICE_TEXT }, isLeftOut)
}
