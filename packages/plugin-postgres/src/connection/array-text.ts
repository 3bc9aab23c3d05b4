// Arrays as PostgreSQL reads them: one parameter for a column of many rows.
//
// The library would do it as well, in four times the time: it asks of each element what it is.
// Source: PostgreSQL documentation, 8.15.6.

import { inRange } from './in-range.ts'

type Maybe<T> = T | null | undefined

/** `{1,2,NULL}`. Whole numbers (what is beyond the range of `bigint` is its end), or booleans as 0 and 1 would not do: pass those as texts. */
export function numbersText(values: readonly Maybe<number>[]): string {
  return `{${values.map((value) => (typeof value === 'number' ? inRange(value) : 'NULL')).join(',')}}`
}

/** `{"a","b",NULL}`. */
export function textsText(values: readonly Maybe<string>[]): string {
  return `{${values.map((value) => (value === null || value === undefined ? 'NULL' : quoted(value))).join(',')}}`
}

/** What stands between two texts. Raw, it is in no JSON: there it is an escape. */
const BETWEEN = '\x1F'

/**
 * Long texts of JSON one after the other, none of them empty. Each quote in `{"…"}` is escaped and read by itself, which is a tenth of what a page with 1.5 KB
 * of memory costs the server.
 */
export function joinedText(values: readonly string[]): string {
  const text = values.join(BETWEEN)
  const isPlain = values.every((value) => !value.includes(BETWEEN))
  return isPlain ? text : values.map((value) => value.replaceAll(BETWEEN, String.raw`\u001f`)).join(BETWEEN)
}

/** SQL for the list of texts in the parameter `name`, which `joinedText` has made. */
export function textsIn(name: string): string {
  return `string_to_array(${name}, E'\\x1f')`
}

function quoted(text: string): string {
  return `"${text.includes('"') || text.includes('\\') ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`
}
