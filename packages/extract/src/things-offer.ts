// Reads the product that objects of schema.org describe, JSON-LD and microdata alike: its facts, its offers and its variants.
import type { Page } from '@avocet/core'
import { type JsonLdNode, typesOf } from '@avocet/page'
import type { Availability } from './availability.ts'
import { findProduct } from './find-product.ts'
import type { OfferSource, OfferVariant, ProductFacts } from './offer.ts'
import { offeredPrice, priceOfAll, type PriceContext } from './offered-price.ts'
import type { Price, PriceHint } from './price.ts'
import { FactReader, stated, type SourceReading } from './source-reading.ts'
import { thingText, thingsOf, type ById } from './thing.ts'

/** Objects of a page, from where they come. */
export interface Things {
  readonly source: OfferSource
  readonly nodes: readonly JsonLdNode[]
  readonly byId: ById
}

/** Of a group; more are not read. */
const MAX_VARIANTS = 1_000
/** Over a page: a thousand variants may all refer to the same thousand offers. */
const MAX_OFFERS = 10_000
/** What tells variants from each other. Source: schema.org/variesBy. */
const VARIES_BY = ['size', 'color', 'material', 'pattern', 'suggestedAge', 'suggestedGender']
const GTINS = ['gtin', 'gtin13', 'gtin14', 'gtin12', 'gtin8', 'ean', 'isbn']
/** What a buyer would rather hear first. */
const BEST: readonly Availability[] = [
  ...(['in-stock', 'limited', 'online-only', 'in-store-only', 'made-to-order', 'pre-order', 'pre-sale', 'back-order'] as const),
  ...(['reserved', 'out-of-stock', 'sold-out', 'discontinued'] as const),
]

/** What the objects of `page` say of its product. */
export function readThings({ source, nodes, byId }: Things, page: Page, hint: PriceHint): SourceReading {
  const reader = new FactReader(source)
  const found = findProduct(nodes, page, byId)
  if (found.kind === 'several') reader.note('product', found.names.slice(0, 10).join(', '), 'several-products')
  if (found.kind !== 'one') return { source, facts: {}, variants: [], unread: reader.unread }
  const context = { reader, hint, byId }
  const product = new ProductReader(context, page)
  const [first] = found.nodes
  const here = found.nodes.map((node) => product.facts(node))
  const all = [...here, ...found.others.map((node) => product.facts(node))]
  const variants = first === undefined ? [] : product.variants(first)
  const { unread } = reader
  if (!areVariants(all)) return { source, facts: joined(all), variants, unread }
  // Of variants with addresses of their own the page is about that one, and a group knows which of its variants it is about.
  const isOne = !areVariants(here) && here.some(({ price }) => price !== undefined)
  return {
    source,
    facts: isOne ? joined(here) : joinedVariants(all, context),
    variants: variants.length > 0 ? variants : all,
    unread,
  }
}

/** What the first says, and what the others say beside that. */
function joined(all: readonly ProductFacts[]): ProductFacts {
  return all.reduce<ProductFacts>((known, facts) => ({ ...facts, ...known }), {})
}

/** Whether objects of one name are sizes or colours, rather than one product that is described several times. */
function areVariants(all: readonly ProductFacts[]): boolean {
  const skus = new Set(all.flatMap(({ sku }) => sku ?? []))
  const values = new Set(all.flatMap(({ price }) => price?.value ?? []))
  return skus.size > 1 && values.size > 1
}

function joinedVariants(all: readonly ProductFacts[], context: PriceContext): ProductFacts {
  const { sku: _sku, gtin: _gtin, ...shared } = joined(all)
  const price = priceOfAll(
    all.flatMap((facts) => facts.price ?? []),
    context,
  )
  return stated({ ...shared, price, availability: best(all.flatMap(({ availability }) => availability ?? [])) })
}

class ProductReader {
  readonly #context: PriceContext
  readonly #page: Page
  #offersLeft = MAX_OFFERS

  constructor(context: PriceContext, page: Page) {
    this.#context = context
    this.#page = page
  }

  facts(node: JsonLdNode): ProductFacts {
    const own = this.#withoutVariants(node)
    if (own.price !== undefined) return own
    const variants = this.#variantNodes(node).map((variant) => ({ node: variant, facts: this.#withoutVariants(variant) }))
    // Of a variant with an address of its own the page is about that one.
    const here = variants.find(
      (variant) => this.#isHere(variant.node) || this.#offers(variant.node).some((offer) => this.#isHere(offer)),
    )
    const counted = here === undefined ? variants : [here]
    const price = priceOfAll(
      counted.flatMap(({ facts }) => facts.price ?? []),
      this.#context,
    )
    const availability = own.availability ?? best(counted.flatMap(({ facts }) => facts.availability ?? []))
    return stated({
      ...here?.facts,
      ...own,
      ...(here !== undefined && stated({ ...here.facts, name: own.name })),
      price,
      availability,
    })
  }

  /** Variants of a group; or offers that name what is bought, where there are several. */
  variants(node: JsonLdNode): readonly OfferVariant[] {
    const nodes = this.#variantNodes(node)
    if (nodes.length > 0) return nodes.map((variant) => ({ ...this.#withoutVariants(variant), ...optionsOf(variant) }))
    const offers = this.#offers(node).filter((offer) => thingText(offer, 'sku', 'name', 'gtin', 'gtin13', 'mpn') !== undefined)
    return offers.length > 1
      ? offers.slice(0, MAX_VARIANTS).map((offer) => this.#withoutVariants({ ...offer, offers: [offer] }))
      : []
  }

  #withoutVariants(node: JsonLdNode): ProductFacts {
    const { reader } = this.#context
    const offers = this.#chosenOffers(this.#offers(node))
    const priced = offers.map((offer) => offeredPrice(offer, this.#context))
    const prices = priced.flatMap(({ price }) => price ?? [])
    const list = priced.flatMap(({ listPrice }) => listPrice ?? [])
    const gtin = thingText(node, ...GTINS) ?? only(offers.map((offer) => thingText(offer, ...GTINS)))
    return stated({
      name: thingText(node, 'name'),
      sku: thingText(node, 'sku') ?? only(offers.map((offer) => thingText(offer, 'sku'))),
      gtin: reader.gtin(gtin),
      brand: thingText(node, 'brand', 'manufacturer'),
      condition: (thingText(node, 'itemCondition') ?? only(offers.map((offer) => thingText(offer, 'itemCondition'))))?.replace(
        /^.*[/:]/,
        '',
      ),
      url: this.#absolute(thingText(node, 'url') ?? only(offers.map((offer) => thingText(offer, 'url')))),
      image: this.#absolute(imageOf(node)),
      price: prices.length === 0 ? undefined : priceOfAll(prices, this.#context),
      listPrice: same(list),
      availability: best(offers.flatMap((offer) => reader.availability(thingText(offer, 'availability')) ?? [])),
    })
  }

  /** Offers of a product; an aggregate that has no price of its own is what it consists of. */
  #offers(node: JsonLdNode): readonly JsonLdNode[] {
    const offers = thingsOf(node, 'offers', this.#context.byId)
      .slice(0, MAX_VARIANTS)
      .flatMap((offer) => {
        const inner =
          offer['lowPrice'] === undefined && offer['price'] === undefined ? thingsOf(offer, 'offers', this.#context.byId) : []
        // What the aggregate says of all of them, each may leave out.
        const { priceCurrency } = offer
        return inner.length > 0 ? inner.map((each) => (priceCurrency === undefined ? each : { priceCurrency, ...each })) : [offer]
      })
      .slice(0, Math.min(MAX_VARIANTS, Math.max(0, this.#offersLeft)))
    this.#offersLeft -= offers.length
    return offers
  }

  /** That of this very address, if one is; new before used. */
  #chosenOffers(offers: readonly JsonLdNode[]): readonly JsonLdNode[] {
    const here = offers.filter((offer) => this.#isHere(offer))
    const some = here.length > 0 && here.length < offers.length ? here : offers
    const fresh = some.filter((offer) => thingText(offer, 'itemCondition')?.endsWith('NewCondition') === true)
    return fresh.length > 0 ? fresh : some
  }

  #variantNodes(node: JsonLdNode): readonly JsonLdNode[] {
    return thingsOf(node, 'hasVariant', this.#context.byId)
      .filter((variant) => typesOf(variant).length > 0)
      .slice(0, MAX_VARIANTS)
  }

  #isHere(node: JsonLdNode): boolean {
    const url = thingText(node, 'url')
    return url !== undefined && this.#page.url.search !== '' && this.#page.absolute(url) === this.#page.url.href
  }

  #absolute(href: string | undefined): string | undefined {
    return href === undefined ? undefined : this.#page.absolute(href)
  }
}

function imageOf(node: JsonLdNode): string | undefined {
  const [image] = thingsOf(node, 'image', () => undefined)
  return image === undefined ? thingText(node, 'image') : thingText(image, 'contentUrl', 'url', '@id')
}

function optionsOf(node: JsonLdNode): Pick<OfferVariant, 'options'> {
  const found = VARIES_BY.flatMap((name) => {
    const value = thingText(node, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return found.length === 0 ? {} : { options: Object.fromEntries(found) }
}

/** What all say; undefined where one says something else or nothing. */
function only(texts: readonly (string | undefined)[]): string | undefined {
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined
}

function same(prices: readonly Price[]): Price | undefined {
  return prices.every(({ value }) => value === prices[0]?.value) ? prices[0] : undefined
}

function best(all: readonly Availability[]): Availability | undefined {
  return BEST.find((availability) => all.includes(availability))
}
