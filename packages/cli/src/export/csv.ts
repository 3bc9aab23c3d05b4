// Comma-separated values as RFC 4180 has them, with a header line.
//
// Columns are the union of the items' keys in the order in which they first appear. A key that first appears in a later batch makes the
// file be written anew from the first item, so that the header is always whole; items of one shape never cause it. In a file
// that held something before the crawl, the header that stands there decides, and keys without a column are left out.
// Cells that a spreadsheet would take for a formula get an apostrophe in front (OWASP: CSV injection); numbers stay numbers.
import { stringify } from 'csv-stringify/sync'
import { firstCsvRecord } from './first-csv-record.ts'
import type { Format } from './format.ts'

/** Beyond it a spreadsheet gives up anyway, and items are keyed by data rather than by name. */
const MAX_COLUMNS = 1_000

/** The column of items that are no objects. */
const VALUE_COLUMN = 'value'

type Row = Readonly<Record<string, unknown>>

/**
 * CSV with a header line, `\n` at line ends.
 *
 * @param say is told, once, when keys are left out.
 */
export function csv(say: (line: string) => void): Format {
  return new Csv(say)
}

class Csv implements Format {
  readonly empty = ''
  readonly tail = ''
  readonly #say: (line: string) => void
  #columns = new Set<string>()
  /** The header is not ours to change. */
  #fixed = false
  #saidLeftOut = false

  constructor(say: (line: string) => void) {
    this.#say = say
  }

  adopt(beginning: string, fixed: boolean): void {
    this.#columns = new Set(firstCsvRecord(beginning)?.map(withoutGuard))
    this.#fixed = fixed
  }

  encode(items: readonly string[], isFirst: boolean): string | undefined {
    const rows = items.map(rowOf)
    const grew = this.#learnColumns(rows)
    if (grew && !isFirst) return undefined
    const columns = [...this.#columns]
    const records: unknown[][] = rows.map((row) => columns.map((key) => (Object.hasOwn(row, key) ? row[key] : undefined)))
    if (isFirst && !this.#fixed) records.unshift(columns)
    return stringify(records, { escape_formulas: true, cast: { boolean: String } })
  }

  #learnColumns(rows: readonly Row[]): boolean {
    const before = this.#columns.size
    let leftOut: string | undefined
    for (const key of rows.flatMap((row) => Object.keys(row))) {
      if (this.#columns.has(key)) continue
      if (this.#fixed || this.#columns.size >= MAX_COLUMNS) leftOut ??= key
      else this.#columns.add(key)
    }
    if (leftOut !== undefined && !this.#saidLeftOut) {
      this.#saidLeftOut = true
      const why = this.#fixed ? 'the header that was there has no such column' : `there are ${MAX_COLUMNS} columns already`
      this.#say(`csv: '${leftOut}' and whatever else is new is left out: ${why}; use .jsonl, or -O for a new file`)
    }
    return this.#columns.size > before
  }
}

function rowOf(json: string): Row {
  const item: unknown = JSON.parse(json)
  return typeof item === 'object' && item !== null && !Array.isArray(item) ? (item as Row) : { [VALUE_COLUMN]: item }
}

function withoutGuard(cell: string): string {
  return /^'[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell
}
