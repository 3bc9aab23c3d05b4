// JSON Lines: one item a line. What is stored is written as it is but for line ends of Unicode, without being parsed again.
import type { Format } from './format.ts'
import { jsonLine } from './json-line.ts'

/** One JSON text a line, UTF-8, `\n`. */
export function jsonl(): Format {
  return {
    empty: '',
    tail: '',
    encode: (items) => items.map(jsonLine).join(''),
  }
}
