// The spider reads a recorded answer right. When the API has changed: record it again, and see what fails.
import { expect, it } from 'vitest'
import spider from '../spiders/articles.ts'
import { readRecorded } from './recorded-page.ts'

it('finds the articles of a list, and the next list', async () => {
  const { items, links } = await readRecorded(spider, { file: 'articles.json', url: 'https://api.example/articles' })

  expect(items).toEqual([
    { id: 17, title: 'Avocets are back', date: '2026-11-21' },
    { id: 16, title: 'The tide & the pond', date: '2026-11-20' },
  ])
  expect(links).toEqual(['https://api.example/articles-2.json'])
})

it('ends with the list that has no next', async () => {
  const { links } = await readRecorded(spider, { file: 'articles-2.json', url: 'https://api.example/articles-2.json' })

  expect(links).toEqual([])
})
