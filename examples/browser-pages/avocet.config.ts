// How the shop is crawled: products of its app are rendered, and complete when their price is there. Two pages at once are enough for a small machine.
import { defineCrawl } from 'avocet'
import { browser } from '@avocet/fetcher-browser'
import browserPages from './spider.ts'

const executablePath = process.env['CHROMIUM']

export default defineCrawl({
  spider: browserPages({}),
  userAgent: 'browser-pages (+https://example.org/bot)',
  browser: browser({
    rules: [{ match: /\/app\//, waitFor: '.price' }],
    maxPages: 2,
    ...(executablePath !== undefined && { executablePath }),
  }),
})
