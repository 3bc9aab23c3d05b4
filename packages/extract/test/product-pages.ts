// Product pages as shop systems make them, written after their documentation: what is said of the product, and what is expected of it.
import type { OfferOptions } from '@avocet/extract'

/** A page, and what is to be read of it. */
export interface ProductPage {
  readonly name: string
  readonly body: string
  readonly url?: string
  readonly options?: OfferOptions
  /** Facts of the offer, compared one by one; `amount` is the text of the price, with the end of a range. */
  readonly expected: Readonly<Record<string, unknown>>
}

const ld = (value: unknown): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`
const meta = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, content]) => `<meta property="${name}" content="${content}">`)
    .join('')
const SCHEMA = 'https://schema.org/'

/** By system. */
export const PRODUCT_PAGES: readonly ProductPage[] = [
  {
    name: 'Shopify, one variant: JSON-LD with offers, Open Graph with a formatted price',
    body:
      ld({
        ...{ '@context': 'http://schema.org/', '@type': 'Product', name: 'Green tea', url: '/products/green-tea', sku: 'GT-1' },
        ...{ image: ['/cdn/1.jpg', '/cdn/2.jpg'], brand: { '@type': 'Brand', name: 'Leaf' } },
        offers: [
          {
            '@type': 'Offer',
            price: 1299.0,
            priceCurrency: 'EUR',
            availability: 'http://schema.org/InStock',
            url: '/products/green-tea',
          },
        ],
      }) + meta({ 'og:type': 'product', 'og:title': 'Green tea', 'og:price:amount': '1.299,00', 'og:price:currency': 'EUR' }),
    expected: {
      ...{
        name: 'Green tea',
        sku: 'GT-1',
        brand: 'Leaf',
        amount: '1299',
        currency: 'EUR',
        availability: 'in-stock',
        conflicts: 0,
      },
      ...{ image: 'https://shop.example/cdn/1.jpg', url: 'https://shop.example/products/green-tea' },
    },
  },
  {
    name: 'Shopify, several variants: offers with a sku each',
    body: ld({
      ...{ '@type': 'Product', name: 'Mug' },
      offers: ['S', 'M', 'L'].map((size, n) => ({
        ...{ '@type': 'Offer', sku: `M-${size}`, price: 10 + n, priceCurrency: 'GBP', url: `/mug?variant=${String(n)}` },
        availability: n === 0 ? 'http://schema.org/OutOfStock' : 'http://schema.org/InStock',
      })),
    }),
    expected: { amount: '10..12', currency: 'GBP', availability: 'in-stock', variants: ['M-S 10', 'M-M 11', 'M-L 12'] },
  },
  {
    name: 'Shopify, at the address of a variant',
    url: 'https://shop.example/mug?variant=2',
    body: ld({
      ...{ '@type': 'ProductGroup', name: 'Mug', variesBy: ['https://schema.org/size'], productGroupID: '7' },
      hasVariant: ['S', 'M', 'L'].map((size, n) => ({
        ...{ '@type': 'Product', sku: `M-${size}`, name: `Mug ${size}`, size, '@id': `/mug?variant=${String(n)}#variant` },
        offers: {
          '@type': 'Offer',
          price: String(10 + n),
          priceCurrency: 'GBP',
          url: `https://shop.example/mug?variant=${String(n)}`,
        },
      })),
    }),
    expected: { name: 'Mug', sku: 'M-L', amount: '12', currency: 'GBP', variants: ['M-S 10', 'M-M 11', 'M-L 12'] },
  },
  {
    name: 'WooCommerce: a graph with the price in a specification',
    body: ld({
      '@context': SCHEMA,
      '@graph': [
        {
          '@type': 'BreadcrumbList',
          itemListElement: [{ '@type': 'ListItem', position: 1, item: { name: 'Home', '@id': '/' } }],
        },
        {
          ...{ '@type': 'Product', '@id': 'https://shop.example/p#product', name: 'Kettle', sku: 1234, image: '/kettle.jpg' },
          offers: [
            {
              ...{ '@type': 'Offer', priceValidUntil: '2027-12-31', availability: 'http://schema.org/InStock', url: '/p' },
              priceSpecification: [
                { '@type': 'UnitPriceSpecification', price: '49.90', priceCurrency: 'EUR', valueAddedTaxIncluded: true },
              ],
            },
          ],
        },
      ],
    }),
    expected: { name: 'Kettle', sku: '1234', amount: '49.90', currency: 'EUR', availability: 'in-stock' },
  },
  {
    name: 'WooCommerce on sale: the list price is not the price',
    body: ld({
      ...{ '@type': 'Product', name: 'Kettle' },
      offers: [
        {
          '@type': 'Offer',
          priceSpecification: [
            { '@type': 'UnitPriceSpecification', priceType: `${SCHEMA}ListPrice`, price: '59.90', priceCurrency: 'EUR' },
            { '@type': 'UnitPriceSpecification', price: '49.90', priceCurrency: 'EUR' },
          ],
        },
      ],
    }),
    expected: { amount: '49.90', listAmount: '59.90', currency: 'EUR' },
  },
  {
    name: 'WooCommerce with variants: an aggregate',
    body: ld({
      ...{ '@type': 'Product', name: 'Shirt' },
      offers: [
        {
          '@type': 'AggregateOffer',
          lowPrice: '15.00',
          highPrice: '25.00',
          offerCount: 4,
          priceCurrency: 'EUR',
          availability: 'InStock',
        },
      ],
    }),
    expected: { amount: '15.00..25.00', isFrom: false, currency: 'EUR', availability: 'in-stock' },
  },
  {
    name: 'Magento 2: microdata with content attributes, four decimals in Open Graph',
    body: `${meta({ 'og:type': 'product', 'og:title': 'Bag', 'product:price:amount': '34.0000', 'product:price:currency': 'USD' })}
      <div itemscope itemtype="http://schema.org/Product"><span itemprop="name">Joust  Bag</span><div itemprop="sku">24-MB01</div>
      <div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span>$34.00</span><meta itemprop="price" content="34" />
      <meta itemprop="priceCurrency" content="USD" /></div></div>`,
    expected: { name: 'Joust Bag', sku: '24-MB01', amount: '34', currency: 'USD', conflicts: 0, priceSource: 'microdata' },
  },
  {
    name: 'Shopware 6: microdata with links and metas',
    body: `<div itemscope itemtype="https://schema.org/Product"><div itemprop="brand" itemtype="https://schema.org/Brand" itemscope>
      <meta itemprop="name" content="Leaf"></div><h1 itemprop="name">Tee</h1><meta itemprop="gtin13" content="4006381333931">
      <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="EUR">
      <meta itemprop="price" content="19.95"><link itemprop="availability" href="https://schema.org/LimitedAvailability"></div>
      <span itemprop="sku">SW-1</span></div>`,
    expected: { name: 'Tee', brand: 'Leaf', gtin: '4006381333931', sku: 'SW-1', amount: '19.95', availability: 'limited' },
  },
  {
    name: 'PrestaShop: Open Graph and microdata of which the price is a text of people',
    body: `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Affiche</h1><div itemprop="offers" itemscope
      itemtype="https://schema.org/Offer"><link itemprop="availability" href="https://schema.org/InStock"/><meta itemprop="priceCurrency" content="EUR">
      <span itemprop="price">1&nbsp;234,80 €</span></div></div>`,
    expected: { amount: '1234.80', currency: 'EUR', availability: 'in-stock' },
  },
  {
    name: 'schema.org: an offer that is only referred to',
    body: ld({
      '@graph': [
        { '@type': 'ItemPage', mainEntity: { '@id': '#p' } },
        {
          '@type': 'Product',
          '@id': '#p',
          name: 'Drill',
          offers: { '@id': '#o' },
          isRelatedTo: { '@type': 'Product', name: 'Other' },
        },
        { '@type': 'Offer', '@id': '#o', price: '89', priceCurrency: 'USD' },
      ],
    }),
    expected: { name: 'Drill', amount: '89', currency: 'USD' },
  },
  {
    name: 'schema.org: the main entity among several products',
    body: ld([
      { '@type': 'Product', name: 'Similar', offers: { price: 1, priceCurrency: 'EUR' } },
      {
        '@type': 'WebPage',
        mainEntity: { '@type': 'Product', name: 'Main', offers: { '@type': 'Offer', price: 2, priceCurrency: 'EUR' } },
      },
    ]),
    expected: { name: 'Main', amount: '2' },
  },
  {
    name: 'several products, of which one has the address of the page',
    body: ld([
      { '@type': 'Product', name: 'A', url: '/a', offers: { price: 1, priceCurrency: 'EUR' } },
      { '@type': 'Product', name: 'B', url: '/p', offers: { price: 2, priceCurrency: 'EUR' } },
    ]),
    expected: { name: 'B', amount: '2' },
  },
  {
    name: 'several products, and nothing that chooses',
    body: ld([
      { '@type': 'Product', name: 'A', offers: { price: 1, priceCurrency: 'EUR' } },
      { '@type': 'Product', name: 'B', offers: { price: 2, priceCurrency: 'EUR' } },
    ]),
    expected: { amount: undefined, name: undefined, unread: ['product several-products A, B'] },
  },
  {
    name: 'a product of one name for each size, which are variants',
    body: ld(
      ['S', 'L'].map((size, n) => ({
        ...{ '@type': 'Product', name: 'Shirt', sku: `1-${size}` },
        offers: { '@type': 'Offer', price: 10 + n * 10, priceCurrency: 'EUR' },
      })),
    ),
    expected: { name: 'Shirt', amount: '10..20', sku: undefined, variants: ['1-S 10', '1-L 20'] },
  },
  {
    name: 'a product that two plugins describe, each with a number of its own',
    body: ld(
      ['SKU-1', '77'].map((sku) => ({
        ...{ '@type': 'Product', name: 'Shirt', sku },
        offers: { '@type': 'Offer', price: '10.00', priceCurrency: 'EUR' },
      })),
    ),
    expected: { name: 'Shirt', amount: '10.00', sku: 'SKU-1', variants: [] },
  },
  {
    name: 'Google: an aggregate of sellers, without a highest price',
    body: ld({
      '@type': 'Product',
      name: 'Anvil',
      offers: { '@type': 'AggregateOffer', offerCount: 5, lowPrice: '119.99', priceCurrency: 'USD' },
    }),
    expected: { amount: '119.99', isFrom: true, currency: 'USD' },
  },
  {
    name: 'Google: a group whose variants have sizes and colours',
    body: ld({
      ...{ '@type': 'ProductGroup', name: 'Coat', variesBy: [`${SCHEMA}size`, `${SCHEMA}color`] },
      hasVariant: [
        {
          '@type': 'Product',
          sku: '1',
          size: 'S',
          color: 'Green',
          offers: { '@type': 'Offer', price: 39.99, priceCurrency: 'USD', availability: 'OutOfStock' },
        },
        {
          '@type': 'Product',
          sku: '2',
          size: 'L',
          color: 'Green',
          offers: { '@type': 'Offer', price: 49.99, priceCurrency: 'USD', availability: 'InStock' },
        },
      ],
    }),
    expected: {
      name: 'Coat',
      amount: '39.99..49.99',
      availability: 'in-stock',
      variants: ['1 39.99', '2 49.99'],
      options: { size: 'S', color: 'Green' },
    },
  },
  {
    name: 'Google: a group that refers to its variants, which are beside it',
    body: ld({
      '@graph': [
        { '@type': 'ProductGroup', '@id': '#coat', name: 'Coat', hasVariant: [{ '@id': '#s' }, { '@id': '#l' }] },
        ...['s', 'l'].map((size, n) => ({
          ...{ '@type': 'Product', '@id': `#${size}`, name: `Coat ${size}`, sku: size, isVariantOf: { '@id': '#coat' } },
          offers: { '@type': 'Offer', price: 30 + n, priceCurrency: 'USD' },
        })),
      ],
    }),
    expected: { name: 'Coat', amount: '30..31', currency: 'USD', variants: ['s 30', 'l 31'], unread: [] },
  },
  {
    name: 'Google: a unit price and a price for members beside the price',
    body: ld({
      ...{ '@type': 'Product', name: 'Oil' },
      offers: {
        ...{ '@type': 'Offer', priceCurrency: 'EUR' },
        priceSpecification: [
          {
            '@type': 'UnitPriceSpecification',
            price: 17.8,
            priceCurrency: 'EUR',
            referenceQuantity: { '@type': 'QuantitativeValue', value: '1', unitCode: 'LTR' },
          },
          {
            '@type': 'UnitPriceSpecification',
            price: 7.9,
            priceCurrency: 'EUR',
            validForMemberTier: { '@type': 'MemberProgramTier' },
          },
          { '@type': 'UnitPriceSpecification', price: 8.9, priceCurrency: 'EUR' },
        ],
      },
    }),
    expected: { amount: '8.9', currency: 'EUR' },
  },
  {
    name: 'schema.org: offers of an aggregate that names the currency for all',
    body: ld({
      ...{ '@type': 'Product', name: 'Oil' },
      offers: { '@type': 'AggregateOffer', priceCurrency: 'EUR', offers: [{ '@type': 'Offer', price: '7.00' }] },
    }),
    expected: { amount: '7.00', currency: 'EUR' },
  },
  {
    name: 'schema.org: charges for delivery and payment are not the price',
    body: ld({
      ...{ '@type': 'Product', name: 'Oil' },
      offers: {
        '@type': 'Offer',
        priceSpecification: [
          { '@type': 'DeliveryChargeSpecification', price: '4.95', priceCurrency: 'EUR' },
          { '@type': 'PaymentChargeSpecification', price: '1.95', priceCurrency: 'EUR' },
          { '@type': 'UnitPriceSpecification', price: '25.98', priceCurrency: 'EUR', unitCode: 'LTR' },
          { '@type': 'UnitPriceSpecification', price: '12.99', priceCurrency: 'EUR' },
        ],
      },
    }),
    expected: { amount: '12.99', currency: 'EUR' },
  },
  {
    name: 'schema.org: prices with and without taxes, and nothing that chooses',
    body: ld({
      ...{ '@type': 'Product', name: 'Oil' },
      offers: {
        '@type': 'Offer',
        priceSpecification: [
          { '@type': 'UnitPriceSpecification', price: '10.92', priceCurrency: 'EUR', valueAddedTaxIncluded: false },
          { '@type': 'UnitPriceSpecification', price: '12.99', priceCurrency: 'EUR', valueAddedTaxIncluded: true },
        ],
      },
    }),
    expected: { amount: undefined, unread: ['price several 10.92 | 12.99'] },
  },
  {
    name: 'a marketplace with new and used offers',
    body: ld({
      ...{ '@type': 'Book', name: 'Birds', isbn: '978-3-16-148410-0' },
      offers: [
        {
          '@type': 'Offer',
          price: '4.00',
          priceCurrency: 'EUR',
          itemCondition: `${SCHEMA}UsedCondition`,
          availability: 'InStock',
        },
        {
          '@type': 'Offer',
          price: '20.00',
          priceCurrency: 'EUR',
          itemCondition: `${SCHEMA}NewCondition`,
          availability: 'InStock',
        },
      ],
    }),
    expected: { amount: '20.00', gtin: '9783161484100' },
  },
  {
    name: 'offers in two currencies, and a hint',
    body: ld({
      '@type': 'Product',
      offers: [
        { '@type': 'Offer', price: 10, priceCurrency: 'EUR' },
        { '@type': 'Offer', price: 11, priceCurrency: 'USD' },
      ],
    }),
    options: { currency: 'USD' },
    expected: { amount: '11', currency: 'USD' },
  },
  {
    name: 'offers in two currencies, and none',
    body: ld({
      '@type': 'Product',
      name: 'X',
      offers: [
        { '@type': 'Offer', price: 10, priceCurrency: 'EUR' },
        { '@type': 'Offer', price: 11, priceCurrency: 'USD' },
      ],
    }),
    expected: { amount: undefined, unread: ['price several-currencies 10 EUR, 11 USD'] },
  },
  {
    name: 'a price for machines that could be two',
    body: ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: '1.299', priceCurrency: 'EUR' } }),
    expected: { amount: undefined, unread: ['price ambiguous 1.299'] },
  },
  {
    name: 'the same as a number, also with a hint for texts',
    body: ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: 1.299, priceCurrency: 'EUR' } }),
    options: { locale: 'de-DE' },
    expected: { amount: undefined, unread: ['price ambiguous 1.299'] },
  },
  {
    name: 'a number with three decimals of a currency that has three',
    body: ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: 1.299, priceCurrency: 'KWD' } }),
    expected: { amount: '1.299', currency: 'KWD' },
  },
  {
    name: 'the same with a hint for its host',
    body: ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: '1.299', priceCurrency: 'EUR' } }),
    options: { hosts: { '*.example': { decimal: '.' }, 'shop.example': { locale: 'de-DE', decimal: ',' } } },
    expected: { amount: '1299', unread: [] },
  },
  {
    name: 'the same with another source that is certain',
    body:
      ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: '1.299', priceCurrency: 'EUR' } }) +
      meta({ 'product:price:amount': '1299.00', 'product:price:currency': 'EUR' }),
    expected: { amount: '1299.00', priceSource: 'open-graph', unread: ['price ambiguous 1.299'] },
  },
  {
    name: 'sources that disagree',
    body:
      ld({
        '@type': 'Product',
        name: 'X',
        sku: '1',
        offers: { '@type': 'Offer', price: '12.00', priceCurrency: 'EUR', availability: 'InStock' },
      }) +
      meta({
        'product:price:amount': '15.00',
        'product:price:currency': 'EUR',
        'product:availability': 'oos',
        'product:retailer_item_id': '2',
      }),
    expected: {
      amount: '12.00',
      availability: 'in-stock',
      conflictsOf: ['price 12.00 15.00', 'availability in-stock out-of-stock', 'sku 1 2'],
    },
  },
  {
    name: 'sources in another order for a host',
    body:
      ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: '12.00', priceCurrency: 'EUR' } }) +
      meta({ 'product:price:amount': '15.00', 'product:price:currency': 'EUR' }),
    options: { hosts: { 'shop.example': { order: ['open-graph', 'json-ld'] } } },
    expected: { amount: '15.00', name: 'X', priceSource: 'open-graph' },
  },
  {
    name: 'Open Graph on sale',
    body: meta({
      ...{ 'og:type': 'og:product', 'og:title': 'Lamp', 'product:price:amount': '20.00', 'product:price:currency': 'EUR' },
      ...{
        'product:sale_price:amount': '15.00',
        'product:sale_price:currency': 'EUR',
        'product:ean': '4006381333931',
        'product:brand': 'Leaf',
      },
    }),
    expected: { name: 'Lamp', amount: '15.00', listAmount: '20.00', gtin: '4006381333931', brand: 'Leaf' },
  },
  {
    name: 'nothing but words, and selectors',
    body: '<h1>Tea</h1><p class=price>ab 1.299,00&nbsp;€</p><p class=stock>Sofort lieferbar</p><b class=ean>4006381333931</b>',
    options: { selectors: { name: 'h1', price: '.price', availability: '.stock', gtin: '.ean' } },
    expected: { name: 'Tea', amount: '1299.00', isFrom: true, currency: 'EUR', availability: 'in-stock', gtin: '4006381333931' },
  },
  {
    name: 'raised cents and a footnote',
    body: '<b class=price>1.299<sup>99</sup> €<sup>1</sup></b>',
    options: { selectors: { price: '.price' } },
    expected: { amount: '1299.99', currency: 'EUR' },
  },
  {
    name: 'the one of several products of one name that has the address of the page',
    url: 'https://shop.example/p?size=2',
    body: ld([
      {
        '@type': 'Product',
        name: 'X',
        sku: 'S',
        url: '/p?size=1',
        offers: { '@type': 'Offer', price: '10.00', priceCurrency: 'EUR' },
      },
      {
        '@type': 'Product',
        name: 'X',
        sku: 'M',
        url: '/p?size=2',
        offers: { '@type': 'Offer', price: '12.00', priceCurrency: 'EUR' },
      },
    ]),
    expected: { amount: '12.00', sku: 'M', variants: ['M 12.00', 'S 10.00'] },
  },
  {
    name: 'the variant with the address of the page, of a group that refers to variants of its own name',
    url: 'https://shop.example/p?size=2',
    body: ld([
      { '@type': 'ProductGroup', name: 'X', hasVariant: [{ '@id': '#s' }, { '@id': '#m' }] },
      ...(['s', 'm'] as const).map((size, at) => ({
        ...{ '@type': 'Product', '@id': `#${size}`, name: 'X', sku: size },
        offers: { '@type': 'Offer', url: `/p?size=${at + 1}`, price: `1${at * 2}.00`, priceCurrency: 'EUR' },
      })),
    ]),
    expected: { amount: '12.00', sku: 'm', variants: ['s 10.00', 'm 12.00'] },
  },
  {
    name: 'a variant that refers to its group, which is beside it',
    body: ld([
      { '@type': 'ProductGroup', '@id': '#group', name: 'X', productGroupID: 'x' },
      {
        '@type': 'Product',
        name: 'X red',
        sku: 'r',
        isVariantOf: { '@id': '#group' },
        offers: { '@type': 'Offer', price: '10.00' },
      },
    ]),
    expected: { name: 'X red', amount: '10.00', sku: 'r', unread: [] },
  },
  {
    name: 'an old price that is struck through in the element of the price, and one that is that element',
    body: '<b class=price><del>299</del> <ins>199</ins> Kč</b><del class=old>299 Kč</del>',
    options: { selectors: { price: '.price', listPrice: '.old' } },
    expected: { amount: '199', currency: 'CZK', listAmount: '299' },
  },
  {
    name: 'a list price that is struck through in its element',
    body: '<b class=price>15 €</b><span class=old>UVP <s>20 €</s></span>',
    options: { selectors: { price: '.price', listPrice: '.old' } },
    expected: { amount: '15', listAmount: '20' },
  },
  ...['Prijs van € 12,99', 'Prima Qualität: 12,99 €'].map((body) => ({
    name: `a word that is that of an old price elsewhere: ${body}`,
    body: `<b class=price>${body}</b>`,
    options: { selectors: { price: '.price' } },
    expected: { amount: '12.99', unread: [] },
  })),
  ...['van € 20', 'Prima: 20 €'].map((body) => ({
    name: `an old price: ${body}`,
    body: `<b class=price>${body}</b>`,
    options: { selectors: { price: '.price' } },
    expected: { amount: undefined, unread: [`price not-the-price ${body}`] },
  })),
  {
    name: 'the word for an old price that is struck through',
    body: '<b class=price>Was <del>£20</del> now £15</b>',
    options: { selectors: { price: '.price' } },
    expected: { amount: '15', currency: 'GBP', unread: [] },
  },
  {
    name: 'a sale price of WooCommerce, which says both prices again for screen readers',
    body: `<p class=price><del aria-hidden=true><bdi>$20.00</bdi></del> <span class="screen-reader-text">Original price was: $20.00.</span><ins
      aria-hidden=true><bdi>$15.00</bdi></ins><span class="screen-reader-text">Current price is: $15.00.</span></p>`,
    options: { selectors: { price: '.price' } },
    expected: { amount: '15.00', unread: [] },
  },
  ...[
    '12<sup>99 €</sup>',
    '12<sup>99€</sup>',
    '12<sup>€99</sup>',
    '12<sup>,99 €</sup>',
    '12 <sup><span>99</span></sup> €',
    '12,99 € <sup>1)</sup>',
  ].map((body) => ({
    name: `raised cents with what is beside them: ${body}`,
    body: `<b class=price>${body}</b>`,
    options: { selectors: { price: '.price' } },
    expected: { amount: '12.99', currency: 'EUR' },
  })),
  {
    name: 'an old price that is struck through in the price of microdata',
    body: `<div itemscope itemtype="https://schema.org/Product"><div itemprop=offers itemscope itemtype="https://schema.org/Offer">
      <b itemprop=price><del>299</del> <ins>199</ins></b><meta itemprop=priceCurrency content=CZK></div></div>`,
    expected: { amount: '199', currency: 'CZK', unread: [] },
  },
  {
    name: 'raised cents in microdata',
    body: `<div itemscope itemtype="https://schema.org/Product"><div itemprop=offers itemscope itemtype="https://schema.org/Offer">
      <b itemprop=price>$12<sup>99</sup></b><meta itemprop=priceCurrency content=USD></div></div>`,
    expected: { amount: '12.99', currency: 'USD' },
  },
  {
    name: 'whole and cents on lines of their own, which may be two numbers',
    body: '<div class=price><div>12</div><div>99</div></div>',
    options: { selectors: { price: '.price' } },
    expected: { amount: undefined, unread: ['price several 12 99'] },
  },
  {
    name: 'an old price where the price is selected',
    body: '<b class=price>UVP 19,99 €</b>',
    options: { selectors: { price: '.price', listPrice: '.price' } },
    expected: { amount: undefined, listAmount: '19.99', unread: ['price not-the-price UVP 19,99 €'] },
  },
  {
    name: 'a currency beside the price',
    body: '<b class=price>1.299</b><i class=currency>CHF</i>',
    options: { selectors: { price: '.price', currency: '.currency' } },
    expected: { amount: '1299', currency: 'CHF' },
  },
  {
    name: 'a wrong check digit, an unknown availability, a price on request',
    body: ld({
      '@type': 'Product',
      name: 'X',
      gtin: '4006381333932',
      offers: { '@type': 'Offer', price: 'Auf Anfrage', availability: 'soon' },
    }),
    expected: {
      ...{ gtin: undefined, amount: undefined, availability: undefined },
      unread: ['price on-request Auf Anfrage', 'gtin check-digit 4006381333932', 'availability unknown soon'],
    },
  },
  ...(['€ EUR', 'eur EUR', 'XCD XCD', 'Euro EUR', 'Lei none', '$ none', 'A$ AUD'] as const).map((pair) => {
    const [written, currency] = pair.split(' ')
    return {
      name: `a currency that is written ${String(written)}`,
      body: ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: '12.50', priceCurrency: written } }),
      expected: { amount: '12.50', currency: currency === 'none' ? undefined : currency },
    }
  }),
  {
    name: 'a price that is empty, and one that is null',
    body: ld({ '@type': 'Product', name: 'X', offers: [{ price: '', priceCurrency: 'EUR' }, { price: null }] }),
    expected: { name: 'X', amount: undefined, unread: [] },
  },
  {
    name: 'a negative price, and one above all bounds',
    body: ld({ '@type': 'Product', name: 'X', offers: [{ price: -1 }, { price: 1e300 }, { price: 1e-7 }] }),
    expected: { amount: undefined, unread: ['price negative -1', 'price too-large 1e+300', 'price malformed 1e-7'] },
  },
  {
    name: 'microdata with the price of yesterday beside that of today',
    body: `<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>X</b><div itemprop=offers itemscope itemtype="https://schema.org/Offer">
      <del itemprop=price>€20.00</del> <ins itemprop=price>€15.00</ins></div></div>`,
    expected: { name: 'X', amount: undefined, unread: ['price several €20.00 | €15.00'] },
  },
  {
    name: 'a price that is there twice',
    body: ld({ '@type': 'Product', name: 'X', offers: { price: ['15.00', '15.00'], priceCurrency: 'EUR' } }),
    expected: { amount: '15.00' },
  },
  {
    name: 'broken JSON-LD: comments, a line break in a text, commas too many',
    body: `<script type="application/ld+json">//<![CDATA[
      {"@type":"Product","name":"Two
lines", "offers":{"@type":"Offer","price":"5.00","priceCurrency":"EUR",},};
      //]]></script>`,
    expected: { name: 'Two\nlines', amount: '5.00' },
  },
  {
    name: 'the same product in two blocks',
    body:
      ld({ '@type': 'Product', name: 'X', sku: '1' }) +
      ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: 0, priceCurrency: 'EUR' } }),
    expected: { sku: '1', amount: '0', currency: 'EUR' },
  },
  {
    name: 'a list of products is no product',
    body: ld({
      '@type': 'ItemList',
      itemListElement: [{ '@type': 'ListItem', item: { '@type': 'Product', name: 'A', offers: { price: 1 } } }],
    }),
    expected: { none: true },
  },
  {
    name: 'availability in Open Graph beside a price in JSON-LD',
    body:
      ld({ '@type': 'Product', name: 'X', offers: { '@type': 'Offer', price: '12.00', priceCurrency: 'EUR' } }) +
      meta({ 'og:title': 'X', 'product:availability': 'oos' }),
    expected: { amount: '12.00', availability: 'out-of-stock' },
  },
  {
    name: 'availability in Open Graph, and no price',
    body: meta({ 'og:title': 'Lamp', 'product:availability': 'out of stock' }),
    expected: { name: 'Lamp', amount: undefined, availability: 'out-of-stock' },
  },
  { name: 'an article', body: meta({ 'og:type': 'article', 'og:title': 'News' }), expected: { none: true } },
]
