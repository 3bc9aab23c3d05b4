// A handler is a function from a page to items and links: its test hands it a page that was saved once.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPage } from '@avocet/simulator'
import { expect, it } from 'vitest'
import offers from '../spider.ts'

it('reads the name and the price of a recorded offer, and follows nothing from there', async () => {
  const body = await readFile(join(import.meta.dirname, 'recorded/offer.html'))

  const { items, links } = await readPage(offers, { url: 'https://shop.example/offer/7', body, handler: 'offer' })

  expect(items).toEqual([{ name: 'Green tea', price: 4.9 }])
  expect(links).toEqual([])
})

it('follows categories and products, each to its handler', async () => {
  const body =
    '<a class="category" href="/tea">Tea</a> <a class="product" href="offer/7">Green tea</a> <a href="/login">Login</a>'

  const { links } = await readPage(offers, { url: 'https://shop.example/', body })

  expect(links.map(({ url, options }) => [url, options.handler])).toEqual([
    ['https://shop.example/tea', undefined],
    ['https://shop.example/offer/7', 'offer'],
  ])
})
