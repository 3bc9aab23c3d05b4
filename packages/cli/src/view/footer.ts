// Below the table: how many hosts it leaves out, what was wished for by keys, and the keys themselves.
import { fit, fold } from '../text/columns.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { printable } from '../text/printable.ts'
import type { ViewWishes } from './view-wishes.ts'

/** What a footer is about. */
interface FooterParts {
  readonly wishes: ViewWishes
  /** Hosts that the filter lets through. */
  readonly matching: number
  readonly shown: number
  /** Whether the terminal is wide enough for hosts. */
  readonly hasTable: boolean
  /** Whether somebody can press a key. */
  readonly hasKeys: boolean
}

/** At most one line; none where there is nothing to say. */
export function footer({ wishes, matching, shown, hasTable, hasKeys }: FooterParts, width: number): readonly string[] {
  const { filter, order, isTyping, isHelp } = wishes
  if (isHelp) return ['? or Esc  back']
  if (isTyping) {
    // The end of what was typed is what one looks at.
    return [fit(`/${printable(filter)}_  ${formatCountOf(matching, 'host')}; Enter keeps it, Esc shows all`, width)]
  }
  const ofTable = [
    ...(matching > shown ? [`${formatCount(matching - shown)} more`] : []),
    ...(filter === '' ? [] : [`only /${printable(filter)} (Esc shows all)`]),
    ...(order === 'trouble' ? [] : [`by ${order}`]),
  ]
  const parts = [...(hasTable ? ofTable : []), ...(hasKeys ? ['? keys'] : [])]
  return parts.length === 0 ? [] : [fit(parts.join('  '), width)]
}

/** Those first that stop something: where there is too little room, the last are missing. */
const KEYS: readonly string[] = ['p  pause the crawl, or resume it', 'Ctrl-C  stop; a second time: stop now']
const KEYS_OF_TABLE: readonly string[] = [
  's  sort by trouble, requests, rate, errors, waiting, name (S: back)',
  '/  show only hosts whose name contains a text; Esc shows all',
]

/** What each key does, in place of the table. */
export function keyLines(width: number, hasTable: boolean): readonly string[] {
  return [...KEYS, ...(hasTable ? KEYS_OF_TABLE : [])].flatMap((line) => fold(line, width)).map((line) => fit(line, width))
}
