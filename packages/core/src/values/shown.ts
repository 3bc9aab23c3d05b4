// A value as a message shows what came: short, in one line, and without running anything of it. All messages call a value by these words.
import { isPlain } from './unlike-json.ts'

const MAX_TEXT = 80

/** A text in quotes and cut, a number as it is, and of all else the kind: `nothing`, `a list`, `an object`, `an iterator`, `an instance of Set`. */
export function shown(got: unknown, maxText: number = MAX_TEXT): string {
  if (got === undefined) return 'nothing'
  if (typeof got === 'string') return quoted(got.length > maxText ? `${got.slice(0, maxText)}…` : got)
  if (typeof got === 'bigint') return `${got}n`
  if (typeof got === 'function') return 'a function'
  if (got === null) return 'null'
  if (typeof got === 'symbol' || typeof got === 'number' || typeof got === 'boolean') return String(got)
  if (Array.isArray(got)) return 'a list'
  return isPlain(got) ? 'an object' : kindOf(got)
}

/** What would not be seen, or would change the line, is escaped. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`
}

function kindOf(got: object): string {
  if ('next' in got && (Symbol.iterator in got || Symbol.asyncIterator in got)) return 'an iterator'
  const { constructor } = Object.getPrototypeOf(got) as { readonly constructor?: { readonly name?: unknown } }
  const name = constructor?.name
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object of a class without a name'
}

// The beginning of a text that is cut at a limit: a character beyond U+FFFF, such as an emoji, is there as a whole or not at all.
//
// Half of one is no text: a file in UTF-8 has U+FFFD for it, and JSON that is checked, such as that of PostgreSQL, refuses it.

/** As much of `text` as fits into `most` UTF-16 code units. */
export function beginningOf(text: string, most: number): string {
  const last = text.length > most ? text.charCodeAt(most - 1) : 0
  const isCut = last >= 0xd8_00 && last <= 0xdb_ff
  return text.slice(0, isCut ? most - 1 : most)
}
