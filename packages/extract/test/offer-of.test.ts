// Offers of product pages, page by page; and what reading them costs and must never do.
import type { Page } from '@avocet/core'
import { availabilityOf, gtinOf, offerOf, type OfferOptions, type PageOffer, type Price } from '@avocet/extract'
import { recordedPage } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { PRODUCT_PAGES } from './product-pages.ts'

/** The page of `body`. */
function pageWith(body: string, { url = 'https://shop.example/a/b' } = {}): Page {
  return recordedPage({ url, body, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

function amount(price: Price | undefined): string | undefined {
  return price === undefined ? undefined : [price.text, ...(price.high === undefined ? [] : [price.high.text])].join('..')
}

/** An offer as the table of pages writes it. */
function summary(offer: PageOffer | undefined): Readonly<Record<string, unknown>> {
  if (offer === undefined) return { none: true }
  return {
    ...offer,
    amount: amount(offer.price),
    listAmount: amount(offer.listPrice),
    isFrom: offer.price?.isFrom,
    currency: offer.price?.currency,
    priceSource: offer.sources.price,
    conflicts: offer.conflicts.length,
    conflictsOf: offer.conflicts.map(({ fact, values }) => [fact, ...values.map(({ value }) => value)].join(' ')),
    unread: offer.unread.map(({ fact, reason, text }) => `${fact} ${reason} ${text}`),
    variants: offer.variants.map(({ sku, price }) => `${sku ?? ''} ${amount(price) ?? ''}`),
    options: offer.variants[0]?.options,
  }
}

describe('offerOf', () => {
  it.each(PRODUCT_PAGES)('reads $name', ({ body, url = 'https://shop.example/p', options, expected }) => {
    const found = summary(offerOf(pageWith(body, { url }), options))

    expect(Object.fromEntries(Object.keys(expected).map((fact) => [fact, found[fact]]))).toEqual(expected)
  })

  it('knows at least 25 pages', () => {
    expect(PRODUCT_PAGES.length).toBeGreaterThanOrEqual(25)
  })

  it('builds no DOM for a page without microdata whose other sources state what is selected', () => {
    const page = pageWith('<script type="application/ld+json">{"@type":"Product","name":"X","offers":{"price":1}}</script>')

    expect(offerOf(page, { selectors: { name: 'h1', price: '.price', currency: '.currency' } })?.price?.text).toBe('1')
    expect('hasDom' in page && page.hasDom).toBe(false)
  })

  it('ends where objects refer to each other in a circle', () => {
    const circle = [
      { '@id': '#a', '@type': 'Product', offers: { '@id': '#b' }, hasVariant: { '@id': '#a' } },
      { '@id': '#b', '@type': 'Offer', offers: { '@id': '#b' }, priceSpecification: { '@id': '#b' } },
    ]

    expect(offerOf(pageWith(`<script type="application/ld+json">${JSON.stringify(circle)}</script>`))?.price).toBeUndefined()
  })

  it('reads so many offers, though a thousand variants refer to the same thousand', () => {
    const refer = (id: string): object[] => Array.from({ length: 1_000 }, () => ({ '@id': id }))
    const graph = [
      { '@type': 'ProductGroup', name: 'X', hasVariant: refer('#v') },
      { '@type': 'Thing', it: { '@id': '#v', '@type': 'Product', sku: '1', offers: refer('#o') } },
      { '@id': '#o', '@type': 'Offer', price: 'Auf Anfrage!', priceCurrency: 'EUR' },
    ]
    const before = process.cpuUsage().user
    const offer = offerOf(pageWith(`<script type="application/ld+json">${JSON.stringify(graph)}</script>`))

    expect(offer?.unread.length).toBeLessThanOrEqual(100)
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(5_000)
  })

  it('looks for microdata in time that grows with the page', () => {
    const page = pageWith('<b itemtype=schema.or'.repeat(50_000))
    const before = process.cpuUsage().user
    offerOf(page)

    // A minute when each place is looked at up to the end of the page.
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(3_000)
  })

  it.each([
    ['order', { order: ['json'] }],
    ['decimal', { decimal: ';' }],
    ['currency', { currency: 'Euro' }],
    ['locale', { locale: 'de_DE!' }],
    ['selectors', { selectors: { prise: '.price' } }],
    ['hosts', { hosts: { 'shop.example': { decimals: ',' } } }],
  ])('refuses options that are wrong: %s', (name, options) => {
    expect(() => offerOf(pageWith(''), options as unknown as OfferOptions)).toThrow(name)
  })
})

describe('availabilityOf', () => {
  it.each([
    ['https://schema.org/InStock', 'in-stock'],
    ['http://schema.org/OutOfStock/'.slice(0, -1), 'out-of-stock'],
    ['schema:PreOrder', 'pre-order'],
    ['BackOrder', 'back-order'],
    ['in stock', 'in-stock'],
    ['In_Stock', 'in-stock'],
    ['available for order', 'back-order'],
    ['Nicht auf Lager', 'out-of-stock'],
    ['Auf Lager, 2 Tage', 'in-stock'],
    ['Rupture de stock', 'out-of-stock'],
    ['En stock', 'in-stock'],
    ['Ausverkauft', 'sold-out'],
    ['Only 3 left in stock', 'limited'],
    ['нет в наличии', 'out-of-stock'],
    ['在庫なし', 'out-of-stock'],
    ['Not available', 'out-of-stock'],
    ['http://www.schema.org/InStock/', 'in-stock'],
    ['No longer in stock', 'out-of-stock'],
    ['Nicht mehr auf Lager', 'out-of-stock'],
    ['Pas en stock', 'out-of-stock'],
    ['Plus en stock', 'out-of-stock'],
    ['Non disponible', 'out-of-stock'],
    ['Sin stock', 'out-of-stock'],
    ['Slut i lager', 'out-of-stock'],
    ['Nie ma na stanie', 'out-of-stock'],
    ['Not yet available', undefined],
    ['Notify me when available', undefined],
    ['Available from 1 May', undefined],
    ['back in stock soon', undefined],
    ['nicht sofort lieferbar', undefined],
    ['auf Lager: nein', undefined],
    ['0 in stock', undefined],
    ['10 in stock', 'in-stock'],
    ['In stock. Ships from Berlin', 'in-stock'],
    ['Available online', 'in-stock'],
    ['Available on 1 May', undefined],
    ['In stock, ships soon', 'in-stock'],
    ['In stock - pay later', 'in-stock'],
    ['In stock (order soon)', 'in-stock'],
    ['Coming soon: in stock in May', undefined],
    ['In stock - notify me', undefined],
    ['Free delivery, no minimum order. In stock', 'in-stock'],
    ['Art. no. 1234, in stock', 'in-stock'],
    ['Item no 12: in stock', 'in-stock'],
    ['Versand 0 €, auf Lager', 'in-stock'],
    ['Plus de 10 en stock', 'in-stock'],
    ['Plus de stock disponible', undefined],
    ['Jetzt wieder auf Lager', 'in-stock'],
    ['In 5 Tagen wieder auf Lager', undefined],
    ['Wieder lieferbar ab 3.5.', undefined],
    ['Verfügbar ab 1.6.', undefined],
    ['Ab Lager lieferbar', 'in-stock'],
    ['toString', undefined],
    ['', undefined],
    ['in stock '.repeat(50), undefined],
  ])('knows %j as %s', (text, expected) => {
    expect(availabilityOf(text)).toBe(expected)
  })
})

describe('gtinOf', () => {
  it.each([
    ['4006381333931', '4006381333931'],
    ['4 006381 333931', '4006381333931'],
    ['036000291452', '036000291452'],
    ['96385074', '96385074'],
    ['10614141000415', '10614141000415'],
    ['4006381333932', undefined],
    ['0000000000000', undefined],
    ['12345', undefined],
    ['', undefined],
    ['４００６３８１３３３９３１', undefined],
  ])('reads %j as %s', (text, expected) => {
    expect(gtinOf(text)).toBe(expected)
  })
})
