// A crawl of the files in ./mirror, which needs neither a network nor politeness.
import { defineCrawl } from 'avocet'
import { mirror } from './mirror.ts'
import mirrored from './spider.ts'

export default defineCrawl({
  spider: mirrored({}),
  userAgent: 'mirrored (+https://example.org/bot)',
  fetcher: mirror('mirror'),
  policies: [],
  hosts: { '*': { delayMs: 0 } },
})
