// One JSON array: whole after every batch, for the closing bracket is written with each and overwritten by the next.
import type { Format } from './format.ts'

/** `[`, one item a line, `]`. */
export function jsonArray(): Format {
  return {
    empty: '[]\n',
    tail: '\n]\n',
    encode: (items, isFirst) => `${isFirst ? '[\n' : ',\n'}${items.join(',\n')}`,
  }
}
