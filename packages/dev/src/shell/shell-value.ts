// A value as the shell shows it: pages and selections in a few lines, where their insides would fill the screen.
import { inspect } from 'node:util'
import type { Page } from '@avocet/core'
import { fit, printable, formatCountOf } from '@avocet/project/text'
import { pageInWords } from './shell-room.ts'

const ELEMENTS = 10
const ELEMENT_COLUMNS = 120
/** Taken from an iterator, which may have no end. */
const STEPS = 100

/** What cheerio gives. */
interface Selection {
  readonly length: number
  eq(index: number): Selection
  prop(name: 'outerHTML'): string | null | undefined
}

/** The text of it. Strings stay as they are when `plainly`, for what reads them is a program. */
export function shellValue(value: unknown, { colors, plainly }: { colors: boolean; plainly: boolean }): string {
  if (isPage(value)) return `Page ${pageInWords(value)}`
  if (isSelection(value)) return selectionInWords(value)
  if (typeof value === 'string' && plainly) return value
  const { list, hasMore } =
    value instanceof FirstValues ? value : isIterator(value) ? listOf(value) : { list: value, hasMore: false }
  const shown = inspect(list, { colors, depth: 4, maxArrayLength: 100, maxStringLength: plainly ? Infinity : 2_000 })
  return hasMore ? `${shown}\n… and more: [...value] has them all` : shown
}

/** The beginning of what an iterator gives. */
class FirstValues {
  readonly list: readonly unknown[]
  readonly hasMore: boolean

  constructor(list: readonly unknown[], hasMore: boolean) {
    this.list = list
    this.hasMore = hasMore
  }
}

/** The first values of an async iterator, for it gives them to those who wait; anything else as it is. */
export async function waitedFor(value: unknown): Promise<unknown> {
  if (!isWaitedFor(value)) return value
  const list: unknown[] = []
  for await (const each of value) {
    if (list.length === STEPS) return new FirstValues(list, true)
    list.push(each)
  }
  return new FirstValues(list, false)
}

/** Whether it is an async iterator. */
export function isWaitedFor(value: unknown): value is AsyncIterableIterator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value
}

function isIterator(value: unknown): value is IterableIterator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value
}

/** What it gives; it is used up by that, as by anything that looks into it. */
function listOf(value: IterableIterator<unknown>): FirstValues {
  const list: unknown[] = []
  for (const each of value) {
    if (list.length === STEPS) return new FirstValues(list, true)
    list.push(each)
  }
  return new FirstValues(list, false)
}

function isPage(value: unknown): value is Page {
  return typeof value === 'object' && value !== null && 'response' in value && 'anchors' in value && 'request' in value
}

function isSelection(value: unknown): value is Selection {
  return typeof value === 'object' && value !== null && 'cheerio' in value && 'length' in value
}

function selectionInWords(selection: Selection): string {
  const shown = Array.from({ length: Math.min(selection.length, ELEMENTS) }, (_, index) => {
    const markup = selection.eq(index).prop('outerHTML') ?? '(text)'
    return `  ${fit(printable(markup.replace(/\s+/g, ' ')), ELEMENT_COLUMNS)}`
  })
  const more = selection.length - shown.length
  return [formatCountOf(selection.length, 'element'), ...shown, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n')
}
