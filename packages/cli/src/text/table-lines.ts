// A table as text: columns as wide as what is in them, names on the left cut to what is left of the line.
import { column, columnsOf } from './columns.ts'

/** What it looks like. */
export interface TableLayout {
  /** Of the whole line. */
  readonly columns: number
  /** Cells after the name that are numbers, aligned to the right; those behind them are texts. */
  readonly numbers: number
  /** Most of the name, even where there is room. */
  readonly nameColumns: number
}

/** Shorter, a name says nothing: then the last texts are cut instead. */
const LEAST_NAME = 12

/** Lines; the first row is the head. All rows have as many cells. Texts must be printable. */
export function tableLines(rows: readonly (readonly string[])[], { columns, numbers, nameColumns }: TableLayout): string[] {
  const widths = (rows[0] ?? []).map((_, n) => widest(rows.map((row) => columnsOf(row[n] ?? ''))))
  const [name = 0, ...others] = widths
  const gaps = 2 + others.length + (others.length > numbers ? 1 : 0)
  const left = columns - gaps - others.reduce((sum, each) => sum + each, 0)
  const first = Math.min(name, nameColumns, Math.max(LEAST_NAME, left))
  return rows.map(([title = '', ...cells]) => {
    const shown = cells.map((cell, n) => column(cell, others[n] ?? 0, n < numbers ? 'right' : 'left'))
    const texts = shown.slice(numbers).join(' ')
    const line = [`  ${column(title, first)}`, ...shown.slice(0, numbers)].join(' ')
    return column(texts === '' ? line : `${line}  ${texts}`, columns).trimEnd()
  })
}

function widest(widths: readonly number[]): number {
  return widths.reduce((a, b) => Math.max(a, b), 0)
}
