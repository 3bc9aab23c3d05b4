// Patterns of URLs that are closed, as text: which, why, and how much was refused since.
import type { ClosedPattern } from '@avocet/core'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'

/** Why a pattern is closed. */
export const CLOSED_FOR: Readonly<Record<ClosedPattern['reason'], string>> = {
  'same-content': 'its pages say the same',
  'new-urls': 'more new URLs than its pages have earned',
  'new-hosts': 'too many hosts of one domain',
}

/** `shop.example/cal?d=*: its pages say the same; 120 pages seen, 3,000 links and requests refused`. */
export function closedLine({ pattern, reason, pages, refused }: ClosedPattern): string {
  const seen = `${formatCountOf(pages, 'page')} seen`
  return `${printable(pattern)}: ${CLOSED_FOR[reason]}; ${seen}, ${formatCount(refused)} ${reason === 'same-content' ? 'refused' : 'held back'}`
}

/** A section of at most `most` patterns; none where none is closed. */
export function closedLines(closed: readonly ClosedPattern[], most: number): string[] {
  if (closed.length === 0) return []
  const more = closed.length - most
  return [
    '',
    `patterns of URLs closed, and budgets that were met: ${formatCount(closed.length)} (avocet scope accept PATTERN opens one)`,
    ...closed.slice(0, most).map((each) => `  ${closedLine(each)}`),
    ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
  ]
}
