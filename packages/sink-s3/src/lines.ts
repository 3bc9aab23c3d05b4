// Items as lines of a text file: JSON Lines, or CSV as `avocet export` writes it: RFC 4180 with `\n` at line ends, and no cell that a spreadsheet would run.
import type { Json } from '@avocet/core'
import { guardedCell, jsonLine, type SinkItem } from '@avocet/core/sink'

/** The first line of an object; empty for JSON Lines. */
export function firstLine(columns: readonly string[] | undefined): string {
  return columns === undefined ? '' : csvLine(columns.map(guardedCell))
}

/** One item. Of CSV, what is neither text nor number nor flag is JSON; what is not there is empty. */
export function lineOf(
  { json, value }: Pick<SinkItem<unknown>, 'json' | 'value'>,
  columns: readonly string[] | undefined,
): string {
  if (columns === undefined) return jsonLine(json)
  const fields = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, Json>>) : {}
  return csvLine(columns.map((name) => (Object.hasOwn(fields, name) ? cellText(fields[name] ?? null) : '')))
}

function cellText(value: Json): string {
  if (value === null) return ''
  return typeof value === 'string' ? guardedCell(value) : JSON.stringify(value)
}

function csvLine(cells: readonly string[]): string {
  // A blank line is no record to most readers.
  if (cells.length === 1 && cells[0] === '') return '""\n'
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`
}
