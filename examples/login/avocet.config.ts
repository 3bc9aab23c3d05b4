// How the site is crawled: with cookies. The policies are those that every crawl has.
import { defineCrawl } from 'avocet'
import { cookies } from '@avocet/plugin-cookies'
import members from './spider.ts'

export default defineCrawl({
  spider: members({}),
  userAgent: 'members (+https://example.org/bot)',
  plugins: [cookies()],
})
