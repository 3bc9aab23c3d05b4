// The spider reads recorded pages right. When the shop has changed: record them again, and see what fails.
import { expect, it } from 'vitest'
import spider from '../spiders/price-watch.ts'
import { readRecorded } from './recorded-page.ts'

it('finds the price of a product, thousands included', async () => {
  const { items } = await readRecorded(spider, {
    file: 'glasses-10x50.html',
    url: 'https://shop.example/glasses-10x50.html',
    handler: 'product',
  })

  expect(items).toEqual([
    {
      sku: 'G-2',
      name: 'Field glasses 10×50',
      price: 1199,
      currency: 'EUR',
      url: 'https://shop.example/glasses-10x50.html',
    },
  ])
})

it('follows categories, not the login', async () => {
  const { links } = await readRecorded(spider, { file: 'shop.html', url: 'https://shop.example/' })

  expect(links).toEqual(['https://shop.example/boots.html', 'https://shop.example/glasses.html'])
})
