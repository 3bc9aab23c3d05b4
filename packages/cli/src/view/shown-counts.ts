// Totals of a store as a person is shown them: what this command counted, where another one may have found or changed some of it.
import type { CrawlStatus } from '@avocet/core/tools'

/** Of a crawl, each page as what it is now. */
export type ShownCounts = Pick<CrawlStatus, 'known' | 'waiting' | 'settled' | 'done' | 'moved' | 'failed'>

/** They add up, and none is less than nothing: what is settled was known, whoever found it. */
export function shownCounts({ known, ...counted }: Pick<ShownCounts, 'known' | 'done' | 'moved' | 'failed'>): ShownCounts {
  const [done, moved, failed] = [Math.max(0, counted.done), Math.max(0, counted.moved), Math.max(0, counted.failed)]
  const settled = done + moved + failed
  return { known: Math.max(known, settled), waiting: Math.max(0, known - settled), settled, done, moved, failed }
}
