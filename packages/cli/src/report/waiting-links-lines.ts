// Links that wait for a budget, as text: of which page, how many, and what they wait for.
import type { WaitingLinks } from '@avocet/core'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'

/** `https://shop.example/all: up to 150,000 links wait until its host has earned more new URLs`. */
export function waitingLinksLine({ url, links, budget }: WaitingLinks): string {
  return `${printable(url)}: ${waitingInWords(links, budget)}`
}

/** `up to 600 links wait until mall.example has earned more hosts`. */
export function waitingInWords(links: number, budget: string): string {
  const [, site] = budget.split(' ')
  const what = site === undefined ? 'its host has earned more new URLs' : `${printable(site)} has earned more hosts`
  return `up to ${formatCountOf(links, 'link')} wait until ${what}`
}

/** A section of at most `most` pages; none where no links wait. */
export function waitingLinksLines(pages: readonly WaitingLinks[], most: number): string[] {
  if (pages.length === 0) return []
  const more = pages.length - most
  return [
    '',
    'links that wait for a budget (avocet scope accept lifts it)',
    ...pages.slice(0, most).map((page) => `  ${waitingLinksLine(page)}`),
    ...(more > 0 ? [`    and of ${formatCount(more)} more pages`] : []),
  ]
}
