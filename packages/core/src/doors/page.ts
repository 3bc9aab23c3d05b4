// The door for handlers that read more than links: what pages say of products and prices, and the types of what they say. Loaded by who imports it.
export { typesOf } from '../page-data/json-ld.ts'
export { availabilityOf, type Availability } from '../offers/availability.ts'
export { gtinOf } from '../offers/gtin.ts'
export type {
  PageOffer,
  OfferConflict,
  OfferOptions,
  OfferReading,
  OfferSelectors,
  OfferSource,
  OfferVariant,
  ProductFacts,
  UnreadFact,
} from '../offers/offer.ts'
export { offerOf } from '../offers/offer-of.ts'
export { parsePrice, type Amount, type Price, type PriceHint, type PriceProblem, type PriceReading } from '../offers/price.ts'
export type {
  Feed,
  FeedEntry,
  JsonLd,
  JsonLdNode,
  MicrodataItem,
  MicrodataValue,
  OpenGraph,
  OpenGraphMedia,
  PageMeta,
  PageTable,
} from '../page-data.ts'
