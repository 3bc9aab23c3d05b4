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
  return `up to ${formatCountOf(links, 'link')} wait until ${printable(budgetInWords(budget))}`
}

/** Until when links wait, as the end of a sentence. */
export function budgetInWords(budget: string): string {
  const [name, site] = budget.split(' ')
  if (site !== undefined) return `${site} has earned more hosts`
  return `its host has earned more new URLs${name === 'any' ? ', or a site more hosts' : ''}`
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
