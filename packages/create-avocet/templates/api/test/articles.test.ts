// Tests the spider on recorded responses. When the API has changed, record them again (`avocet fetch URL -o FILE`) and see what fails.
import { readFile } from 'node:fs/promises'
import { readPage } from '@avocet/simulator'
import { expect, it } from 'vitest'
import spider from '../spiders/articles.ts'

it('finds the articles of a list, and the next list', async () => {
  const body = await readFile(new URL('./pages/articles.json', import.meta.url))

  const { items, links } = await readPage(spider, { url: 'https://api.example/articles', body })

  expect(items).toEqual([
    { id: 17, title: 'Avocets are back', date: '2026-11-21' },
    { id: 16, title: 'The tide & the pond', date: '2026-11-20' },
  ])
  expect(links.map(({ url }) => url)).toEqual(['https://api.example/articles-2.json'])
})

it('ends with the list that has no next', async () => {
  const body = await readFile(new URL('./pages/articles-2.json', import.meta.url))

  const { links } = await readPage(spider, { url: 'https://api.example/articles-2.json', body })

  expect(links).toEqual([])
})
