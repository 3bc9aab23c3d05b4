// Finds the product that a page is about, among those that it mentions: similar ones, accessories and lists are others.
import type { Page } from '@avocet/core'
import { type JsonLdNode, typesOf } from '@avocet/page'
import { followed, isThing, valuesIn, thingText, thingsOf, type ById } from './thing.ts'

/**
 * What was found: the product, in one or more objects, with `others` that describe the same one, or another size or colour of it; or too many to choose.
 */
export type FoundProduct =
  | { readonly kind: 'one'; readonly nodes: readonly JsonLdNode[]; readonly others: readonly JsonLdNode[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly names: readonly string[] }

const PRODUCTS = new Set([
  'Product',
  'ProductGroup',
  'ProductModel',
  'IndividualProduct',
  'SomeProducts',
  'Vehicle',
  'Car',
  'Motorcycle',
])
/** Bought as well, if there is an offer. */
const SOLD = new Set(['Book', 'SoftwareApplication', 'MobileApplication', 'Course', 'Event', 'Service', 'Movie', 'VideoGame'])
const OFFERS = new Set(['Offer', 'AggregateOffer'])
const PAGES = new Set(['WebPage', 'ItemPage'])
/** Lead to other products, or to parts of this one. */
const ELSEWHERE = new Set([
  ...[
    'isRelatedTo',
    'isSimilarTo',
    'isAccessoryOrSparePartFor',
    'isConsumableFor',
    'itemListElement',
    'hasVariant',
    'isVariantOf',
    'review',
  ],
  ...['offers', 'itemOffered', 'makesOffer', 'subjectOf', 'hasOfferCatalog', 'includesObject', 'addOn', 'mentions', 'about'],
])
const MAX_NODES = 10_000
const MAX_DEPTH = 32

/** Finds it among `nodes`, the objects at the top of a page. */
export function findProduct(nodes: readonly JsonLdNode[], page: Page, byId: ById): FoundProduct {
  const products: JsonLdNode[] = []
  const main: JsonLdNode[] = []
  let left = MAX_NODES
  const visit = (given: JsonLdNode, depth: number): void => {
    if (depth > MAX_DEPTH || --left < 0) return
    const node = followed(given, byId)
    const types = typesOf(node)
    if (isProduct(node, types)) {
      if (!products.includes(node)) products.push(node)
      return
    }
    if (types.some((type) => PAGES.has(type)))
      main.push(...thingsOf(node, 'mainEntity', byId).filter((each) => isProduct(each, typesOf(each))))
    for (const [name, value] of Object.entries(node)) {
      if (!ELSEWHERE.has(name)) for (const each of valuesIn(value)) if (isThing(each)) visit(each, depth + 1)
    }
  }
  for (const node of nodes) visit(node, 0)
  // Of a group that only refers to its variants, these are beside it; and one that only its variants refer to says what they have in common.
  const variants = new Set(products.flatMap((node) => thingsOf(node, 'hasVariant', byId)))
  const groups = new Set(products.flatMap((node) => thingsOf(node, 'isVariantOf', byId)).filter((node) => !isOffered(node)))
  const whole = products.filter((node) => !variants.has(node) && !groups.has(node))
  return chosen({ main, products, whole, offers: nodes.filter((node) => typesOf(node).some((type) => OFFERS.has(type))) }, page)
}

interface Candidates {
  readonly main: readonly JsonLdNode[]
  readonly products: readonly JsonLdNode[]
  /** Those that are no variants of another, and no group of others. */
  readonly whole: readonly JsonLdNode[]
  /** Without a product around them. */
  readonly offers: readonly JsonLdNode[]
}

function chosen({ main, products, whole, offers }: Candidates, page: Page): FoundProduct {
  if (products.length === 0 && main.length === 0) {
    return offers.length === 0 ? { kind: 'none' } : { kind: 'one', nodes: [{ '@type': 'Product', offers }], others: [] }
  }
  const addresses = new Set([page.url.href, page.canonical].flatMap((url) => (url === undefined ? [] : [addressOf(url, page)])))
  // Those of a group have names within the page: `#small`.
  const named = new Set(whole)
  const here = products.filter((node) =>
    addresses.has(addressOf(thingText(node, 'url', ...(named.has(node) ? ['@id'] : [])) ?? '', page)),
  )
  for (const some of [main, here, whole]) {
    const [first] = some
    if (first === undefined) continue
    // Several themes and plugins of a shop describe the same product, each in a block of its own.
    if (!some.every((node) => isSame(node, first))) continue
    const known = new Set(some)
    return { kind: 'one', nodes: some, others: products.filter((node) => !known.has(node) && isSame(node, first)) }
  }
  return { kind: 'several', names: whole.map((node) => thingText(node, 'name') ?? '') }
}

function isOffered(node: JsonLdNode): boolean {
  return node['offers'] !== undefined || node['hasVariant'] !== undefined
}

function isProduct(node: JsonLdNode, types: readonly string[]): boolean {
  return types.some((type) => PRODUCTS.has(type) || (SOLD.has(type) && node['offers'] !== undefined))
}

function isSame(a: JsonLdNode, b: JsonLdNode): boolean {
  if (a === b) return true
  const [skus, names] = [
    [thingText(a, 'sku'), thingText(b, 'sku')],
    [thingText(a, 'name'), thingText(b, 'name')],
  ]
  return (skus[0] !== undefined && skus[0] === skus[1]) || (names[0] !== undefined && names[0] === names[1])
}

function addressOf(url: string, page: Page): string {
  return url === '' ? '' : (page.absolute(url) ?? '')
}
