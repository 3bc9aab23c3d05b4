// Arrays as PostgreSQL reads them: one parameter for a column of many rows.
//
// The library would do it as well, in four times the time: it asks of each element what it is.
// Source: PostgreSQL documentation, 8.15.6.

import { inRange } from './storable-text.ts'

type Maybe<T> = T | null | undefined

/** `{1,2,NULL}`. Whole numbers (what is beyond the range of `bigint` is its end), or booleans as 0 and 1 would not do: pass those as texts. */
export function numbersText(values: readonly Maybe<number>[]): string {
  return `{${values.map((value) => (typeof value === 'number' ? inRange(value) : 'NULL')).join(',')}}`
}

/** `{"a","b",NULL}`. */
export function textsText(values: readonly Maybe<string>[]): string {
  return `{${values.map((value) => (value === null || value === undefined ? 'NULL' : quoted(value))).join(',')}}`
}

function quoted(text: string): string {
  return `"${text.includes('"') || text.includes('\\') ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`
}
