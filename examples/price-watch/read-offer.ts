// What a product's page offers, in the three ways in which shops say it: JSON-LD, microdata, or nothing but classes.
import type { Page } from 'avocet'
import { offerOf, type OfferOptions } from '@avocet/extract'

/** What stands on the page. */
export interface Shown {
  readonly sku: string
  readonly name: string
  readonly price: number
  readonly currency: string
}

/** What is meant for machines goes first: it changes less than the looks. */
const OPTIONS: OfferOptions = {
  order: ['json-ld', 'microdata', 'selectors'],
  selectors: { sku: '.sku', name: 'h1', price: '.price', currency: '.currency' },
}

/** Reads the offer. Throws when the page has none: then it is among the dead letters, where somebody will see it. */
export function readOffer(page: Page): Shown {
  const { sku, name = page.text('h1'), price, unread = [] } = offerOf(page, OPTIONS) ?? {}
  if (sku === undefined || price?.currency === undefined) {
    const found = unread.map(({ fact, text, reason }) => `${fact} "${text}" (${reason})`).join(', ')
    throw new Error(`expected a product with a sku and a price, found ${found === '' ? 'none' : found}`)
  }
  return { sku, name, price: price.value, currency: price.currency }
}
