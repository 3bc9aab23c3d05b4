// The spider reads a recorded page right. When the site has changed: record the page again, and see what fails.
import { expect, it } from 'vitest'
import spider from '../spiders/__name__.ts'
import { readRecorded } from './recorded-page.ts'

it('finds the articles of a list, and the next list', async () => {
  const { items, links } = await readRecorded(spider, { file: '__name__.html', url: 'https://site.example/news' })

  expect(items).toEqual([
    { title: 'Avocets are back', url: 'https://site.example/avocets-are-back', date: '2026-11-21' },
    { title: 'The tide & the pond', url: 'https://site.example/tide', date: '2026-11-20' },
  ])
  expect(links).toEqual(['https://site.example/__name__-2.html'])
})
