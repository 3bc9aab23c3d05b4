// Comma-separated values as RFC 4180 has them, with a header line.
//
// Columns are the union of the items' keys in the order in which they first appear. A key that first appears in a later batch makes the
// file be written anew from the first item, so that the header is always whole; items of one shape never cause it. In a file
// that held something before the crawl, its header decides, and keys without a column are left out.
// Cells that a spreadsheet would take for a formula get an apostrophe in front, unless the user wants formulas; numbers stay numbers.
import { createRequire } from 'node:module'
import { AvocetError, type Json } from '@avocet/core'
import { option, type OptionRules } from '@avocet/core/plugin'
import type { Sink } from '@avocet/core/sink'
import { storedJson } from '@avocet/core/store'
import { guardedCell } from '@avocet/delivery/files'
import type * as CsvStringify from 'csv-stringify/sync'
import { FILE_RULES, fileSink, type FileKind, type FileOptions } from './file-options.ts'
import type { Format } from './format.ts'

/** Beyond it a spreadsheet gives up anyway, and items are keyed by data rather than by name. */
const MAX_COLUMNS = 1_000

/** The column of items that are no objects. */
const VALUE_COLUMN = 'value'

/** At the beginning of a file it belongs to no cell, unless it is quoted. */
const BYTE_ORDER_MARK = /^\ufeff/

/** A surrogate as JSON writes one that stands alone. */
const HALF_ESCAPE = /\\ud[89a-f]/i

type Row = Readonly<Record<string, unknown>>

/** How a file is written. */
interface CsvOptions {
  /** Told, once, when keys are left out. */
  readonly say: (line: string) => void
  /** Leaves cells that a spreadsheet takes for formulas as they are. */
  readonly formulas?: boolean
  /** The only columns, in this order. Absent: those of the items. */
  readonly columns?: readonly string[]
}

/** CSV with a header line, `\n` at line ends. */
export function csvFormat(options: CsvOptions): Format {
  return new Csv(options)
}

class Csv implements Format {
  readonly name = 'CSV'
  readonly empty = ''
  readonly tail = ''
  readonly #options: CsvOptions
  #columns = new Set<string>()
  /** The header is not ours to change. */
  #fixed = false
  #saidLeftOut = false

  /** The file is ours and has other columns than those that are wanted now. */
  #isOutdated = false

  constructor(options: CsvOptions) {
    this.#options = options
    this.#columns = new Set(options.columns)
  }

  adopt(beginning: string, fixed: boolean): void {
    const header = firstCsvRecord(beginning)
    const names = this.#options.formulas === true ? header : header?.map(unguardedCell)
    this.#fixed = fixed
    const { columns } = this.#options
    if (columns === undefined) this.#columns = new Set(names)
    else this.#isOutdated = this.#differs(columns, names)
  }

  encode(items: readonly string[], isFirst: boolean): string | undefined {
    const rows = items.map(rowOf)
    const grew = this.#learnColumns(rows)
    if ((grew || this.#isOutdated) && !isFirst) return undefined
    this.#isOutdated = false
    const columns = [...this.#columns]
    const records: unknown[][] = rows.map((row) => columns.map((key) => (Object.hasOwn(row, key) ? row[key] : undefined)))
    if (isFirst && !this.#fixed) records.unshift(columns)
    const cast = { boolean: String, ...(this.#options.formulas !== true && { string: guardedCell }) }
    // Loaded by the first file that is CSV.
    const { stringify } = createRequire(import.meta.url)('csv-stringify/sync') as typeof CsvStringify
    // A blank line is no record to most readers: the only cell of a line is quoted if it is empty.
    return stringify(records, {
      cast,
      ...(columns.length === 1 && { quoted_empty: true }),
      ...(isFirst && { quoted_match: BYTE_ORDER_MARK }),
    })
  }

  /** Whether a file of ours is to be written anew. Throws AVO_OUTPUT_UNWRITABLE for a file that is not ours to change. */
  #differs(chosen: readonly string[], names: readonly string[] | undefined): boolean {
    if (names === undefined || JSON.stringify(names) === JSON.stringify(chosen)) return false
    if (!this.#fixed) return true
    throw new AvocetError(
      'AVO_OUTPUT_UNWRITABLE',
      `expected a file with the columns ${chosen.join(', ')} to append to, got one with ${names.join(', ')}; name these, or another file`,
    )
  }

  #learnColumns(rows: readonly Row[]): boolean {
    if (this.#options.columns !== undefined) return false
    const before = this.#columns.size
    let leftOut: string | undefined
    for (const key of rows.flatMap((row) => Object.keys(row))) {
      if (this.#columns.has(key)) continue
      if (this.#fixed || this.#columns.size >= MAX_COLUMNS) leftOut ??= key
      else this.#columns.add(key)
    }
    if (leftOut !== undefined && !this.#saidLeftOut) {
      this.#saidLeftOut = true
      const why = this.#fixed ? 'the existing header has no such column' : `there are ${MAX_COLUMNS} columns already`
      this.#options.say(`csv: '${leftOut}' and all other new columns are left out: ${why}; use .jsonl, or -O for a new file`)
    }
    return this.#columns.size > before
  }
}

function rowOf(json: string): Row {
  const item: unknown = storedJson(json, 'an item')
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return { [VALUE_COLUMN]: item }
  // A file of text holds no half of a surrogate pair: a key is what a later run reads of it.
  if (!HALF_ESCAPE.test(json)) return item as Row
  return Object.fromEntries(Object.entries(item).map(([key, value]): [string, unknown] => [key.toWellFormed(), value]))
}

/**
 * Cells of the first record of `text` (RFC 4180), or undefined when there is none.
 *
 * @example
 * ```ts
 * firstCsvRecord('name,"price, net"\n1,2\n') // ['name', 'price, net']
 * ```
 */
export function firstCsvRecord(text: string): string[] | undefined {
  const cells: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy
  cell.lastIndex = text.startsWith('\ufeff') ? 1 : 0
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    const [, quoted, plain = '', end] = match
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== ',') break
  }
  return cells.length === 1 && cells[0] === '' ? undefined : cells
}

/** What `guardedCell` was given. */
function unguardedCell(cell: string): string {
  const bare = cell.slice(1)
  return cell.startsWith("'") && guardedCell(bare) === cell ? bare : cell
}

// Comma-separated values as a sink.

/** Options of `csv`. */
export interface CsvFileOptions<Item = Json> extends FileOptions<Item> {
  /** Fields that are written, in this order: with `csv<Offer>(…)` those of `Offer` alone. Default: all, in the order in which they appear first. */
  readonly columns?: readonly (Item extends object ? keyof Item & string : string)[]
  /** Writes cells that a spreadsheet takes for formulas as they are, without an apostrophe in front. Default `false`. */
  readonly formulas?: boolean
}

const names = option.listOf(option.nonEmptyText)
const eachOnce = option.satisfying('names of fields, at least one and each once', (given) => {
  const list = given as readonly string[]
  return list.length > 0 && new Set(list).size === list.length
})
const RULES: OptionRules<CsvFileOptions> = {
  ...FILE_RULES,
  columns: { ...names, problem: (value, path) => names.problem(value, path) ?? eachOnce.problem(value, path) },
  formulas: option.flag,
}

/**
 * Writes items to a CSV file with a header line, each exactly once.
 *
 * @param path relative to the folder in which the process runs.
 * @throws AVO_CONFIG_INVALID for an option that is unknown or wrong. When it opens, AVO_OUTPUT_UNWRITABLE, also for a file that is appended to and has
 * other columns.
 * @example
 * ```ts
 * const sinks = [csv('offers.csv', { columns: ['name', 'price'] })]
 * ```
 * Source: RFC 4180
 */
export function csv<Item = Json>(path: string, options: CsvFileOptions<Item> = {}): Sink<Item> {
  const { columns, formulas = false } = options
  const chosen = columns && { columns }
  const format: FileKind['format'] = (say) => csvFormat({ say, formulas, ...chosen })
  return { ...fileSink(path, options, { called: 'csv', rules: RULES, appendable: true, format }), ...chosen }
}
