// How items become the bytes of an output file. One implementation a file ending; none knows files, marks or stores.
import { jsonLine } from '@avocet/delivery/files'

/** Turns items into text, batch by batch, in the order of their commit. */
export interface Format {
  /** As people call it. */
  readonly name: string
  /** What the file holds while there is no item. */
  readonly empty: string
  /** What follows the last item, and is overwritten by the next batch. */
  readonly tail: string
  /**
   * Items (JSON text) as they are written, with what precedes the first item when `isFirst`.
   * Undefined: what is written no longer fits (a new CSV column); the file must be written anew from the first item.
   */
  encode(items: readonly string[], isFirst: boolean): string | undefined
  /** Takes over what is already in a file, given its beginning. `fixed`: it is not ours, so it cannot be written anew. */
  adopt?(beginning: string, fixed: boolean): void
}

/** One JSON text a line, UTF-8, `\n`. */
export function jsonLines(): Format {
  return {
    name: 'JSON Lines',
    empty: '',
    tail: '',
    encode: (items) => items.map(jsonLine).join(''),
  }
}

/** `[`, one item a line, `]`. */
export function jsonArray(): Format {
  return {
    name: 'JSON',
    empty: '[]\n',
    tail: '\n]\n',
    encode: (items, isFirst) => `${isFirst ? '[\n' : ',\n'}${items.join(',\n')}`,
  }
}
