// Below the table: how many hosts it leaves out, what was wished for by keys, and the keys themselves.
import { fit } from '../text/columns.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { printable } from '../text/printable.ts'
import type { ViewWishes } from './view-wishes.ts'

/** What a footer is about. */
interface FooterParts {
  readonly wishes: ViewWishes
  /** Hosts that the filter lets through. */
  readonly matching: number
  readonly shown: number
  /** Whether somebody can press a key. */
  readonly hasKeys: boolean
}

/** At most one line; none where there is nothing to say. */
export function footer({ wishes, matching, shown, hasKeys }: FooterParts, width: number): readonly string[] {
  const { filter, order, isTyping } = wishes
  if (isTyping) {
    // The end of what was typed is what one looks at.
    return [fit(`/${printable(filter)}_  ${formatCountOf(matching, 'host')}; Enter keeps it, Esc shows all`, width)]
  }
  const parts = [
    ...(matching > shown ? [`${formatCount(matching - shown)} more`] : []),
    ...(filter === '' ? [] : [`only /${printable(filter)} (Esc shows all)`]),
    ...(order === 'trouble' ? [] : [`by ${order}`]),
    ...(hasKeys ? ['? keys'] : []),
  ]
  return parts.length === 0 ? [] : [fit(parts.join('  '), width)]
}

/** What each key does, in place of the table. */
export const KEYS: readonly string[] = [
  's  sort by trouble, requests, rate, errors, waiting, name (S: back)',
  '/  show only hosts whose name contains a text; Esc shows all',
  'p  pause the crawl, and go on',
  '?  these keys; again or Esc: the hosts',
  'Ctrl-C  stop; a second time: stop now',
]
