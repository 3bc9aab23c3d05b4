// What a product's page offers, in the three ways in which shops say it: JSON-LD, microdata, or nothing but classes.
import type { Page } from '@avocet/core'

/** What stands on the page. */
export interface Shown {
  readonly sku: string
  readonly name: string
  readonly price: number
  readonly currency: string
}

/** Reads the offer. What is meant for machines goes first: it changes less than the looks. */
export function readOffer(page: Page): Shown {
  const json = page.$('script[type="application/ld+json"]').first().text()
  if (json !== '') return ofJsonLd(JSON.parse(json) as JsonLd)
  const product = page.$('[itemtype$="schema.org/Product"]')
  if (product.length > 0) {
    const told = (name: string): string => product.find(`[itemprop=${name}]`).attr('content') ?? ''
    return { sku: told('sku'), name: page.text('h1'), price: Number(told('price')), currency: told('priceCurrency') }
  }
  return { sku: page.text('.sku'), name: page.text('h1'), price: Number(page.text('.price')), currency: page.text('.currency') }
}

/** As much of schema.org's Product as is read here. */
interface JsonLd {
  readonly name: string
  readonly sku: string
  readonly offers: { readonly price: string; readonly priceCurrency: string }
}

function ofJsonLd({ name, sku, offers }: JsonLd): Shown {
  return { sku, name, price: Number(offers.price), currency: offers.priceCurrency }
}
