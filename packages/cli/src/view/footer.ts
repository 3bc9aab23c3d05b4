// Below the table: how many hosts it leaves out, what was wished for by keys, and the keys themselves.
import { MIN_TABLE_COLUMNS } from './host-table.ts'
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

/** Those first that stop something: where there is too little room, the last are counted only. */
const KEYS: readonly string[] = ['p  pause this run, or resume it', 'Ctrl-C  stop; a second time: stop now']
const KEYS_OF_TABLE: readonly string[] = [
  's  sort by trouble, requests, rate, errors, waiting, name (S: back)',
  '/  show only hosts whose name contains a text; Esc shows all',
]

/** Where there is no table to sort. */
const KEYS_WITHOUT_TABLE: readonly string[] = [`s /  sort and filter hosts, from ${MIN_TABLE_COLUMNS} columns on`]

/** How large the pane of the keys may be. */
interface KeyRoom {
  readonly width: number
  /** At least 1. */
  readonly rows: number
}

/** What each key does, in place of the table. Of those for which there is no room, the last line says how many they are. */
export function keyLines({ width, rows }: KeyRoom): readonly string[] {
  const keys = [...KEYS, ...(width < MIN_TABLE_COLUMNS ? KEYS_WITHOUT_TABLE : KEYS_OF_TABLE)].map((line) => fold(line, width))
  const linesOf = (count: number): number => keys.slice(0, count).flat().length
  const shown = linesOf(keys.length) <= rows ? keys.length : keys.findLastIndex((_, count) => linesOf(count) < rows)
  const more = keys.length - shown
  const last =
    more === 0 ? [] : [`${formatCountOf(more, 'more key')}; needs ${formatCountOf(linesOf(keys.length) - rows, 'more line')}`]
  return [...keys.slice(0, shown).flat(), ...last].map((line) => fit(line, width))
}
