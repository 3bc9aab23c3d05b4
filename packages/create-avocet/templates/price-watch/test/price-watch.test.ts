// Tests the spider on recorded pages. When the shop has changed, record them again (`avocet fetch URL -o FILE`) and see what fails.
import { readFile } from 'node:fs/promises'
import { readPage } from '@avocet/simulator'
import { expect, it } from 'vitest'
import spider from '../spiders/price-watch.ts'

it('finds the price of a product, thousands included', async () => {
  const url = 'https://shop.example/glasses-10x50.html'
  const body = await readFile(new URL('./pages/glasses-10x50.html', import.meta.url))

  const { items } = await readPage(spider, { url, body, handler: 'product' })

  expect(items).toEqual([{ sku: 'G-2', name: 'Field glasses 10×50', price: 1199, currency: 'EUR', url }])
})

it('reads a decimal comma, and fails on a page without a price', async () => {
  const page = (price: string) => ({ url: 'https://shop.example/tea.html', body: `<h1>Tea</h1>${price}`, handler: 'product' })
  const { items } = await readPage(spider, page('<p><span class="price">4,50</span> <span class="currency">EUR</span></p>'))

  expect(items).toMatchObject([{ name: 'Tea', price: 4.5, currency: 'EUR' }])
  await expect(readPage(spider, page(''))).rejects.toThrow('expected a price')
})

it('follows categories, not the login', async () => {
  const body = await readFile(new URL('./pages/shop.html', import.meta.url))

  const { links } = await readPage(spider, { url: 'https://shop.example/', body })

  expect(links.map(({ url }) => url)).toEqual(['https://shop.example/boots.html', 'https://shop.example/glasses.html'])
})
