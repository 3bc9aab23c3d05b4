// What a page offers: a product and its price, with who said so.
import type { Availability } from './availability.ts'
import type { Price, PriceHint, PriceProblem } from './price.ts'

/** Where an offer can be read. */
export type OfferSource = 'json-ld' | 'microdata' | 'open-graph' | 'selectors'

/** What is known of a product; everything may be missing. */
export interface ProductFacts {
  /** As written, white space at its ends removed. */
  readonly name?: string
  /** The shop's own number. */
  readonly sku?: string
  /** Digits, with a check digit that is right. */
  readonly gtin?: string
  /** Its name; the manufacturer's where there is no brand. */
  readonly brand?: string
  /** As schema.org writes it, without its URL: `NewCondition`. */
  readonly condition?: string
  /** Absolute. */
  readonly url?: string
  /** Absolute; the first of several. */
  readonly image?: string
  /** With the currency; a range if variants differ. */
  readonly price?: Price
  /** The crossed-out price, where one is given. */
  readonly listPrice?: Price
  /** Of several offers the best. */
  readonly availability?: Availability
}

/** A variant of a product that has several, such as a size. */
export interface OfferVariant extends ProductFacts {
  /** What makes it this one: `{ size: 'L' }`. */
  readonly options?: { readonly [name: string]: string }
}

/** What a page offers. */
export interface PageOffer extends ProductFacts {
  /** For each fact, who said it. */
  readonly sources: { readonly [Fact in keyof ProductFacts]?: OfferSource }
  /** Where sources disagree; the offer has what the first of them says. */
  readonly conflicts: readonly OfferConflict[]
  /** What is on the page and was not understood, or is not certain. */
  readonly unread: readonly UnreadFact[]
  /** Of a product that has several. */
  readonly variants: readonly OfferVariant[]
}

/** A fact on which sources disagree. */
export interface OfferConflict {
  /** Price and currency are compared each for itself. */
  readonly fact: 'price' | 'currency' | 'availability' | 'sku' | 'gtin'
  /** In the order in which sources are asked. */
  readonly values: readonly { readonly source: OfferSource; readonly value: string }[]
}

/** Something that a source says and that is not in the offer. */
export interface UnreadFact {
  /** Who says it. */
  readonly source: OfferSource
  /** What it would have been. */
  readonly fact: 'price' | 'listPrice' | 'availability' | 'gtin' | 'product'
  /** As written, at most 200 characters. */
  readonly text: string
  /** Why it is not in the offer. */
  readonly reason: PriceProblem | 'check-digit' | 'unknown' | 'several-products'
}

/** Selectors for what a page says to people alone; the text of the first element that matches, of `content` where it has that attribute. */
export type OfferSelectors = {
  readonly [Fact in 'name' | 'sku' | 'gtin' | 'brand' | 'price' | 'listPrice' | 'currency' | 'availability']?: string
}

/** How the offer of a page is read. */
export interface OfferReading extends PriceHint {
  /** Sources in the order in which they are believed; what is not named is not read. Default: JSON-LD, microdata, Open Graph, selectors. */
  readonly order?: readonly OfferSource[]
  /** For the source `selectors`: asked for the facts that no source before it states, so that other pages need no DOM. */
  readonly selectors?: OfferSelectors
}

/** Options of `offerOf`. */
export interface OfferOptions extends OfferReading {
  /** Other options for single hosts, by pattern: `shop.example`, `*.shop.example`. The closest pattern counts. */
  readonly hosts?: { readonly [pattern: string]: OfferReading }
}
