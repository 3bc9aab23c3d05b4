// Reads what a page offers: a product and its price, from what the page says to machines, with who said it, and where sources disagree.
import type { Page } from '@avocet/core'
import { checkOptions, HOST_NAME, option, patternsOf, type OptionRules } from '@avocet/core/plugin'
import { readOpenGraph, readSelectors } from './fields-offer.ts'
import type { PageOffer, OfferConflict, OfferOptions, OfferReading, OfferSelectors, OfferSource, ProductFacts } from './offer.ts'
import type { Price } from './price.ts'
import type { SourceReading } from './source-reading.ts'
import { thingOf } from './thing.ts'
import { readThings } from './things-offer.ts'

const SOURCES: readonly OfferSource[] = ['json-ld', 'microdata', 'open-graph', 'selectors']

const SELECTORS: OptionRules<OfferSelectors> = {
  ...{ name: option.nonEmptyText, sku: option.nonEmptyText, gtin: option.nonEmptyText, brand: option.nonEmptyText },
  ...{
    price: option.nonEmptyText,
    listPrice: option.nonEmptyText,
    currency: option.nonEmptyText,
    availability: option.nonEmptyText,
  },
}
const READING: OptionRules<OfferReading> = {
  currency: option.satisfying('an ISO 4217 code such as EUR', (code) => typeof code === 'string' && /^[A-Z]{3}$/.test(code)),
  decimal: option.oneOf('.', ','),
  locale: option.satisfying('a language tag such as de-DE', (tag) => typeof tag === 'string' && isLocale(tag)),
  order: option.listOf(option.oneOf(...SOURCES)),
  selectors: option.tableOf(SELECTORS),
}
const RULES: OptionRules<OfferOptions> = { ...READING, hosts: option.recordOf(option.tableOf(READING), HOST_NAME) }
/** Options are made once, and used for each page. */
const CHECKED = new WeakSet<object>()
/** Microdata needs the DOM, which costs more than everything else: it is built where there is a product in it. */
const HAS_MICRODATA = /itemtype\s{0,9}=\s{0,9}["']?[^"'<>]{0,200}schema\.org\//i

/**
 * What `page` offers: name, price, currency, availability, sku, gtin and more, from JSON-LD, microdata, Open Graph, and selectors that you give.
 * What could mean two things is left out, and listed in `unread` with a reason.
 *
 * @returns undefined for a page that says nothing of a product.
 * @throws AVO_CONFIG_INVALID for what is no option.
 * @example
 * ```ts
 * // tea-offer.ts
 * import { offerOf } from '@avocet/extract'
 * import { recordedPage } from '@avocet/simulator'
 *
 * const page = recordedPage({
 *   url: 'https://shop.example/tea',
 *   body: `<script type="application/ld+json">{ "@type": "Product", "name": "Green tea", "sku": "T-1", "offers":
 *     { "@type": "Offer", "price": "12.50", "priceCurrency": "EUR", "availability": "https://schema.org/InStock" } }</script>
 *     <meta property="product:price:amount" content="11.90"><meta property="product:price:currency" content="EUR">`,
 * })
 * const offer = offerOf(page)
 * offer?.price // { text: '12.50', value: 12.5, isFrom: false, currency: 'EUR' }
 * offer?.availability // 'in-stock'
 * offer?.sources.price // 'json-ld'
 * offer?.conflicts[0]?.values.map(({ value }) => value) // ['12.50', '11.90']
 * ```
 * @example Where nothing is meant for machines:
 * ```ts
 * // selected.ts
 * import { offerOf } from '@avocet/extract'
 * import { recordedPage } from '@avocet/simulator'
 *
 * const page = recordedPage({ url: 'https://shop.example/tea', body: '<h1>Tea</h1><p class=price>from 1.299,00 €</p>' })
 * offerOf(page, { selectors: { name: 'h1', price: '.price' } })?.price // { text: '1299.00', value: 1299, isFrom: true, currency: 'EUR' }
 * ```
 */
export function offerOf(page: Page, options: OfferOptions = {}): PageOffer | undefined {
  checkOfferOptions(options)
  const reading = offerReadingOf(options, page.url.host)
  const said: SourceReading[] = []
  for (const source of reading.order) said.push(readSource(source, page, { reading, known: merged(said).facts }))
  const unread = said.flatMap((each) => each.unread)
  const { facts, sources } = merged(said)
  if (Object.keys(facts).length === 0 && unread.length === 0) return undefined
  const variants = said.find((each) => each.variants.length > 0)?.variants ?? []
  return { ...facts, sources, conflicts: conflictsOf(said), unread, variants }
}

/** The options for `hostKey`. Throws AVO_CONFIG_INVALID for what is no option, or out of range. */
function offerReadingOf(
  { hosts, ...general }: OfferOptions,
  hostKey: string,
): OfferReading & { readonly order: readonly OfferSource[] } {
  const given = hosts === undefined ? [] : [...patternsOf(hostKey, true)].toReversed().map((pattern) => hosts[pattern])
  const specific = given.map((options) =>
    Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)),
  )
  return Object.assign({ order: SOURCES }, general, ...specific) as OfferReading & { readonly order: readonly OfferSource[] }
}

/** Throws AVO_CONFIG_INVALID for options that are none. */
function checkOfferOptions(options: OfferOptions): void {
  if (CHECKED.has(options)) return
  checkOptions('offerOf', options, RULES)
  CHECKED.add(options)
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** What is asked for, and what the sources before have said. */
interface Asked {
  readonly reading: OfferReading
  readonly known: ProductFacts
}

function readSource(source: OfferSource, page: Page, { reading, known }: Asked): SourceReading {
  if (source === 'selectors') {
    const unknown = Object.entries(reading.selectors ?? {}).filter(
      ([fact]) => !(fact in known) && !(fact === 'currency' && 'price' in known),
    )
    return readSelectors(page, Object.fromEntries(unknown), reading)
  }
  if (source === 'open-graph') return readOpenGraph(page, reading)
  if (source === 'json-ld')
    return readThings({ source, nodes: page.jsonLd.nodes, byId: (id) => page.jsonLd.byId(id) }, page, reading)
  const nodes = page.isHtml && HAS_MICRODATA.test(page.body) ? page.microdata.map(thingOf) : []
  return readThings({ source, nodes, byId: (id) => nodes.find((node) => node['@id'] === id) }, page, reading)
}

/** Of each fact what the first source says, and which one that is. */
function merged(said: readonly SourceReading[]): { readonly facts: ProductFacts; readonly sources: PageOffer['sources'] } {
  const facts: Record<string, unknown> = {}
  const sources: Record<string, OfferSource> = {}
  for (const { source, facts: own } of said) {
    for (const [fact, value] of Object.entries(own)) {
      if (fact in facts) continue
      facts[fact] = value
      sources[fact] = source
    }
  }
  const { price, ...others } = facts as ProductFacts
  return { facts: price === undefined ? others : { ...others, price: withCurrency(price, said) }, sources }
}

/** A price without a currency has that of a source that says the same amount. */
function withCurrency(price: Price, said: readonly SourceReading[]): Price {
  if (price.currency !== undefined) return price
  const agreeing = said.flatMap(({ facts }) => (facts.price?.value === price.value ? (facts.price.currency ?? []) : []))[0]
  return agreeing === undefined ? price : { ...price, currency: agreeing }
}

const COMPARED = ['price', 'currency', 'availability', 'sku', 'gtin'] as const

function conflictsOf(said: readonly SourceReading[]): readonly OfferConflict[] {
  return COMPARED.flatMap((fact): readonly OfferConflict[] => {
    const values = said.flatMap(({ source, facts }) => {
      const value = fact === 'price' ? facts.price?.text : fact === 'currency' ? facts.price?.currency : facts[fact]
      return value === undefined ? [] : [{ source, value }]
    })
    const [first] = values
    const agree = fact === 'price' ? pricesAgree(said) : values.every(({ value }) => value === first?.value)
    return agree ? [] : [{ fact, values }]
  })
}

/** The same amount, however many zeros it has; or one within the range of the first. */
function pricesAgree(said: readonly SourceReading[]): boolean {
  const [first, ...others] = said.flatMap(({ facts }) => facts.price ?? [])
  return (
    first === undefined ||
    others.every(({ value }) => value === first.value || (value > first.value && value <= (first.high?.value ?? -1)))
  )
}
