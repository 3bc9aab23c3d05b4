// What a sitemap or a feed listed in a run, as a line of the report.
import type { CrawlReport } from '@avocet/core'
import { printable } from './printable.ts'
import { formatCount, formatCountOf } from './quantity.ts'

/** `https://shop.example/sitemap.xml: 50,000 URLs, 1,200 new, 80 modified since their last visit`. */
export function sourceLine({ url, links, added, due }: NonNullable<CrawlReport['sources']>[number]): string {
  const modified = due === 0 ? '' : `, ${formatCount(due)} modified since their last visit`
  return `${url === '' ? 'others' : printable(url)}: ${formatCountOf(links, 'URL')}, ${formatCount(added)} new${modified}`
}
