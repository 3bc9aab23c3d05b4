// Pages on probation as text: what is missing, since when, and when it is asked for next.
import type { PageOnProbation, Probation } from '@avocet/core'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf, formatDuration } from '../text/quantity.ts'

/** `https://shop.example/p: http-404 for 3 h, in 4 visits; asked for again in 12 min`. */
export function probationLine({ url, why, since, visits, nextAt }: PageOnProbation, now: number): string {
  const when = nextAt > now ? `in ${formatDuration(nextAt - now)}` : 'now'
  const how = `${printable(why)} for ${formatDuration(Math.max(0, now - since))}, ${formatCountOf(visits, 'visit')} in a row`
  return `${printable(url)}: ${how}; asked for again ${when}`
}

/** A section of at most `most` pages; none where no page is on probation. */
export function probationLines({ pages, requests }: Probation, now: number, most: number): string[] {
  if (pages === 0) return []
  const shown = requests.slice(0, most)
  return [
    '',
    `missing, and asked for until believed to be gone: ${formatCountOf(pages, 'page')}`,
    ...shown.map((page) => `  ${probationLine(page, now)}`),
    ...(pages > shown.length ? [`    and ${formatCount(pages - shown.length)} more`] : []),
  ]
}
