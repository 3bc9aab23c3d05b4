// Reads the product that a page describes as JSON-LD, by itself or in a `@graph`.
import type { Page } from '@avocet/core'

/** As much of schema.org's Product as is read here. */
interface Node {
  readonly '@type'?: string
  readonly '@graph'?: readonly Node[]
  readonly sku?: string
  readonly name?: string
  readonly category?: string
  readonly offers?: { readonly price: string }
}

/** Throws when the page describes none: then it is among the dead letters, where somebody will see it. */
export function productOf(page: Page): {
  readonly sku: string
  readonly name: string
  readonly price: number
  readonly category: string
} {
  for (const script of page.$('script[type="application/ld+json"]')) {
    const node = JSON.parse(page.$(script).text()) as Node
    const product = [node, ...(node['@graph'] ?? [])].find((one) => one['@type'] === 'Product')
    if (product?.sku === undefined) continue
    const { sku, name = '', category = '', offers } = product
    return { sku, name, price: Number(offers?.price), category }
  }
  throw new Error('expected a Product in the JSON-LD of the page, found none')
}
