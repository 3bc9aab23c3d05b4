// The columns of the files: their types, found in the first items or given, and whether an item fits them.
//
// Files of one data set must have the same types: readers take those of the first file and convert the others, silently. So the types are found once, are
// part of the mark, and an item that does not fit is refused with the reason. Hence the caution of `inferredColumns`: whole numbers become int64 only if
// there are many of them, and what has no value or values of several kinds becomes JSON, which takes everything.
import type { Json } from '@avocet/core'

/** Type of a column. Every column may be empty. `timestamp`: ISO 8601 text or epoch ms, stored as ms in UTC. `json`: anything, as JSON text. */
export type ColumnType = 'string' | 'double' | 'int64' | 'boolean' | 'timestamp' | 'json'

/** In the order of the file. */
export type Columns = readonly (readonly [name: string, type: ColumnType])[]

/** One observation decides for all files: 99 whole prices may be followed by 4.99. */
const LEAST_INTEGERS = 100
/** RFC 3339, and a date alone. `Date` itself would take `'1'`. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i
/** A time of day without a zone would be that of this machine. */
const WITHOUT_ZONE = /[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/i

/** An item that is an object. */
export type ParquetRow = Readonly<Record<string, Json>>

/** All columns are in the mark of the sink, of which the store keeps 64 KiB. */
const MOST_COLUMN_BYTES = 60_000
/** What a column takes there beside its name: `["",""],` and a type. */
const BYTES_BESIDE_NAME = 18

/** Rows in which the columns are to be found. */
export class FirstRows {
  readonly #rows: ParquetRow[] = []
  readonly #names = new Set<string>()
  #bytes = 0

  constructor(rows: readonly ParquetRow[]) {
    for (const row of rows) this.add(row)
  }

  get size(): number {
    return this.#rows.length
  }

  get columns(): Columns {
    return inferredColumns(this.#rows)
  }

  /** Adds `row`. Why it cannot be added: pages that name their fields by data would make more columns than anybody can read, or the mark can hold. */
  add(row: ParquetRow): string | undefined {
    const names = Object.keys(row).filter((name) => !this.#names.has(name))
    const bytes = names.reduce((sum, name) => sum + Buffer.byteLength(JSON.stringify(name)) + BYTES_BESIDE_NAME, 0)
    if (this.#bytes + bytes > MOST_COLUMN_BYTES)
      return `expected the names of all columns to take at most ${MOST_COLUMN_BYTES} bytes, got more with ${briefly(names[0] ?? '')}; name the fields to write in columns`
    for (const name of names) this.#names.add(name)
    this.#bytes += bytes
    this.#rows.push(row)
    return undefined
  }
}

/** The columns of `rows`, in the order in which their fields appear first. */
export function inferredColumns(rows: readonly ParquetRow[]): Columns {
  const values = new Map<string, Json[]>()
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      const known = values.get(name)
      if (known === undefined) values.set(name, [value])
      else known.push(value)
    }
  return [...values].map(([name, each]) => [name, typeOf(each.filter((value) => value !== null))])
}

/** Why `value` cannot be a row of `columns`; undefined if it can. Without `columns`, any object can. */
export function misfit(value: Json, columns: Columns | undefined, isSelection: boolean): string | undefined {
  if (!isRow(value)) return 'expected an object with a field for each column, got another kind of item'
  if (columns === undefined) return Object.keys(value).length > 0 ? undefined : 'expected an object with fields, got an empty one'
  for (const [name, type] of columns) {
    const cell = cellIn(value, name)
    if (cell !== null && parquetCell(cell, type) === undefined)
      return `expected ${name} to be ${EXPECTED[type]}, got ${briefly(cell)}; to change the column, set columns: { ${name}: … }`
  }
  if (isSelection) return undefined
  const names = new Set(columns.map(([name]) => name))
  const stranger = Object.keys(value).find((name) => !names.has(name) && value[name] !== null)
  return stranger === undefined
    ? undefined
    : `expected the fields of the first file, got ${briefly(stranger)} as well; name all fields in columns`
}

/** What a column has of a row: nothing where the row has no such field. */
export function cellIn(row: ParquetRow, name: string): Json {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null
}

/** An object that is no list. */
export function isRow(value: Json): value is ParquetRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as the writer takes it; undefined if it is not of that type. */
export function parquetCell(value: Json, type: ColumnType): Json | bigint | Date | undefined {
  if (type === 'json') return value
  if (type === 'timestamp') return momentOf(value)
  if (type === 'int64') return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === (type === 'double' ? 'number' : type) ? value : undefined
}

const EXPECTED: Readonly<Record<ColumnType, string>> = {
  string: 'a text',
  double: 'a number',
  int64: 'a whole number up to 2^53',
  boolean: 'true or false',
  timestamp: 'a moment as ISO 8601 text or epoch ms',
  json: 'any value',
}

function typeOf(values: readonly Json[]): ColumnType {
  const kinds = new Set(values.map((value) => typeof value))
  const [kind] = kinds
  if (kinds.size !== 1) return 'json'
  if (kind === 'string' || kind === 'boolean') return kind
  if (kind !== 'number') return 'json'
  return values.length >= LEAST_INTEGERS && values.every((value) => Number.isSafeInteger(value)) ? 'int64' : 'double'
}

function momentOf(value: Json): Date | undefined {
  const isMoment =
    typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && MOMENT.test(value) && isDay(value)
  if (!isMoment) return undefined
  const moment = new Date(typeof value === 'string' && WITHOUT_ZONE.test(value) ? `${value}Z` : (value as string | number))
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

/** Whether there is such a day: `Date` takes 30 February for 2 March. `moment`: begins with a date. */
function isDay(moment: string): boolean {
  const [year = 0, month = 0, day = 0] = moment.slice(0, 10).split('-').map(Number)
  const last = new Date(0)
  last.setUTCFullYear(year, month, 0)
  return day <= last.getUTCDate()
}

function briefly(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
