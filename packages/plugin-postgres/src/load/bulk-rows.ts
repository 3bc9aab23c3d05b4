// Rows of one table that are written together: a statement for thousands, an array for each column.
import { numbersText, textsText } from '../connection/array-text.ts'
import type { Queries } from '../connection/queries.ts'

/** What a column can be. */
type ColumnType = 'bigint' | 'int' | 'smallint' | 'boolean' | 'text' | 'uuid'
type Value = string | number | boolean | null | undefined

const NUMBERS: ReadonlySet<ColumnType> = new Set(['bigint', 'int', 'smallint'])

/** Those of one table, none of which is there. */
export class BulkRows<Column extends string> {
  readonly #insert: string
  readonly #types: readonly (readonly [Column, ColumnType])[]
  #rows: Readonly<Partial<Record<Column, Value>>>[] = []

  constructor(table: string, columns: Readonly<Record<Column, ColumnType>>) {
    this.#types = Object.entries(columns) as [Column, ColumnType][]
    const arrays = this.#types.map(([, type], n) => `$${String(n + 1)}::${type}[]`)
    this.#insert = `INSERT INTO {S}.${table} (${Object.keys(columns).join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`
  }

  /** What is absent is NULL. */
  add(row: Readonly<Partial<Record<Column, Value>>>): void {
    this.#rows.push(row)
  }

  /** Writes those that were added, in their order, and forgets them. */
  async write(queries: Pick<Queries, 'all'>): Promise<void> {
    const rows = this.#rows
    if (rows.length === 0) return
    this.#rows = []
    await queries.all(
      this.#insert,
      this.#types.map(([column, type]) => {
        const values = rows.map((row) => row[column])
        if (NUMBERS.has(type)) return numbersText(values as (number | null | undefined)[])
        return textsText(type === 'boolean' ? values.map(String) : (values as (string | null | undefined)[]))
      }),
    )
  }
}
