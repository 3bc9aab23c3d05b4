// What pages say of products and prices: pure functions of a page, and the types of what they say.
export { availabilityOf, type Availability } from './availability.ts'
export type {
  OfferConflict,
  OfferOptions,
  OfferReading,
  OfferSelectors,
  OfferSource,
  OfferVariant,
  PageOffer,
  ProductFacts,
  UnreadFact,
} from './offer.ts'
export { offerOf } from './offer-of.ts'
export { parsePrice, type Amount, type Price, type PriceHint, type PriceProblem, type PriceReading } from './price.ts'
export { gtinOf } from './source-reading.ts'
