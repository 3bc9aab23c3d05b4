// Tests the spider on a recorded page. When the site has changed, record the page again (`avocet fetch URL -o FILE`) and see what fails.
import { readFile } from 'node:fs/promises'
import { readPage } from '@avocet/simulator'
import { expect, it } from 'vitest'
import spider from '../spiders/__name__.ts'

it('finds the articles of a list, and the next list', async () => {
  const body = await readFile(new URL('./pages/__name__.html', import.meta.url))

  const { items, links } = await readPage(spider, { url: 'https://site.example/news', body })

  expect(items).toEqual([
    { title: 'Avocets are back', url: 'https://site.example/avocets-are-back', date: '2026-11-21' },
    { title: 'The tide & the pond', url: 'https://site.example/tide', date: '2026-11-20' },
  ])
  expect(links.map(({ url }) => url)).toEqual(['https://site.example/__name__-2.html'])
})
