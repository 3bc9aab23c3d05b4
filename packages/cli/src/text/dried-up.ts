// Handlers that used to get items from a host and get none any more, in words: its pages have probably changed.
import type { DriedUp } from '@avocet/core/tools'
import { printable } from './printable.ts'
import { formatCountOf } from './quantity.ts'

/** `shop.example: no items in the last 40 pages of handler product, after 400 items`. */
export function driedUpLine({ hostKey, ...rest }: DriedUp): string {
  return `${printable(hostKey)}: ${noItems(rest)}`
}

/** `no items in the last 40 pages of handler product, after 400 items`. */
export function noItems({ handler, items, barren }: Omit<DriedUp, 'hostKey'>): string {
  return `no items in the last ${formatCountOf(barren, 'page')} of ${handlerInWords(handler)}, after ${formatCountOf(items, 'item')}`
}

/** Handlers of a host beyond the first ones are not told apart. */
export function handlerInWords(handler: string | undefined): string {
  return handler === undefined ? 'other handlers' : `handler ${printable(handler)}`
}
