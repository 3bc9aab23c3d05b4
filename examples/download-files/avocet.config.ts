// How the site is crawled: files go to the folder `downloads`.
import { defineCrawl } from 'avocet'
import downloadFiles from './spider.ts'

export default defineCrawl({
  spider: downloadFiles({}),
  userAgent: 'download-files (+https://example.org/bot)',
  files: { folder: 'downloads', maxBytes: 100e6 },
})
