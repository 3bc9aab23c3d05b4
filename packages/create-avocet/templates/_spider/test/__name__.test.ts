// Tests the spider on a recorded page. When the site has changed, record the page again (`avocet fetch URL -o FILE`) and see what fails.
import { readFile } from 'node:fs/promises'
import { readPage } from '@avocet/simulator'
import { expect, it } from 'vitest'
import spider from '../spiders/__name__.ts'

/** Where the page was recorded. */
const PAGE = '__seed__'

it('finds the articles of a list, and the next list', async () => {
  const body = await readFile(new URL('./pages/__name__.html', import.meta.url))

  const { items, links } = await readPage(spider, { url: PAGE, body })

  expect(items).toEqual([
    { title: 'Avocets are back', url: new URL('/avocets-are-back', PAGE).href, date: '2026-11-21' },
    { title: 'The tide & the pond', url: new URL('/tide', PAGE).href, date: '2026-11-20' },
  ])
  expect(links.map(({ url }) => url)).toEqual([new URL('/__name__-2.html', PAGE).href])
})
