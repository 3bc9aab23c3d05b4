// What PostgreSQL cannot keep, as what it can: texts of any call (`storableText`), and what goes to it as JSON (`jsonText`).
//
// A text has no U+0000 there, and JSON that is read by the server no half of a surrogate pair either; both are U+FFFD, as in any UTF-8 file. Texts that have
// neither are as they were. JSON that the server does not read is text: what is escaped in it stays escaped.
// Source: PostgreSQL documentation, 8.1, 8.3, 8.14.

const REPLACEMENT = '\uFFFD'
/** What `JSON.stringify` writes of them; `\\u0000` of a text with a backslash only costs a second look. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/

/** The text as it is stored. */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', REPLACEMENT) : whole
}

/** JSON that functions of the schema read. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  if (!UNSTORABLE.test(text)) return text
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? storableText(each) : each))
}

// Numbers as the columns of PostgreSQL take them: what is beyond the range of a column is the last number within it.

/** Of `int`, and of `smallint`. */
export const MOST_INT = 2_147_483_647
export const MOST_SMALLINT = 32_767

/** `value`, whole, from -`most` to `most`; 0 for what is no number. Default: that of `bigint`, as far as JavaScript has whole numbers. */
export function inRange(value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.round(value), -most), most)
}

// Arrays as PostgreSQL reads them: one parameter for a column of many rows.
//
// The library would do it as well, in four times the time: it asks of each element what it is.
// Source: PostgreSQL documentation, 8.15.6.

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
