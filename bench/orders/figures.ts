// What was measured of each order, as a row: median and maximum over the tries, and whether the slowest one is within the bar.
import { medianOf } from '../move/avocet-command.ts'

/** Most ms from the end of a command until its order is felt at the site: `within a second`, as the command says. */
export const BAR_MS = 1_000

/** The orders that are measured, as they are typed. */
export const ORDERS = ['pause', 'resume', 'host pause', 'host resume', 'host set --max-rps', 'stop'] as const
export type Order = (typeof ORDERS)[number]

/** Of one order. Ms from the end of its command; below 0 = it was felt before the command had ended. */
export interface OrderRow {
  readonly order: Order
  readonly tries: number
  readonly medianMs: number
  readonly maxMs: number
  readonly holds: boolean
}

/** A row; one without tries does not hold. */
export function orderRow(order: Order, tries: readonly number[]): OrderRow {
  const maxMs = Math.max(...tries)
  return {
    order,
    tries: tries.length,
    medianMs: Math.round(medianOf(tries)),
    maxMs: Math.round(maxMs),
    holds: tries.length > 0 && maxMs <= BAR_MS,
  }
}

/** The rows as people read them. */
export function orderTable(rows: readonly OrderRow[]): readonly string[] {
  const cells = [
    ['order', 'tries', 'median', 'maximum', ''],
    ...rows.map(({ order, tries, medianMs, maxMs, holds }) => [
      order,
      String(tries),
      `${String(medianMs)} ms`,
      `${String(maxMs)} ms`,
      holds ? 'PASS' : 'MISS',
    ]),
  ]
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? []
  return cells.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
