// How a product's page shows the product: shops differ in this more than in anything else.
import type { PagesSpec } from './host-spec.ts'
import type { SiteProduct } from './site.ts'

type Layout = NonNullable<Extract<PagesSpec, { kind: 'shop' }>['layout']>

/** HTML with name, price, currency and sku. Names hold no markup. */
export function productMarkup({ name, price, sku }: SiteProduct, layout: Layout): string {
  const amount = price.toFixed(2)
  if (layout === 'microdata') {
    return `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">${name}</h1><meta itemprop="sku" content="${sku}">
<p itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="${amount}"><meta itemprop="priceCurrency" content="EUR">${amount.replace('.', ',')} €</p></div>`
  }
  if (layout === 'json-ld') {
    const offers = { '@type': 'Offer', price: amount, priceCurrency: 'EUR' }
    const product = { '@context': 'https://schema.org', '@type': 'Product', name, sku, offers }
    return `<script type="application/ld+json">${JSON.stringify(product)}</script>\n<h1>${name}</h1>`
  }
  return `<h1>${name}</h1>\n<p><span class="price">${amount}</span> <span class="currency">EUR</span></p>\n<p>Sku <span class="sku">${sku}</span></p>`
}
