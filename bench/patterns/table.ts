// The contest as a table: medians over seeds.
import { median } from '../median.ts'
import type { Figures } from './contest.ts'

/** A column: its head, and what stands in it. */
type Column = readonly [string, (runs: readonly Figures[]) => string]

const COLUMNS: readonly Column[] = [
  ['', (runs) => runs[0]?.contestant ?? ''],
  ['pages/min', (runs) => count(medianOf(runs, (one) => one.goodPerMinute))],
  ['good', (runs) => count(medianOf(runs, (one) => one.goodPages))],
  ['lost', (runs) => count(medianOf(runs, (one) => one.lostPages))],
  ['share', (runs) => percent(medianOf(runs, (one) => one.share))],
  ['mean s', (runs) => medianOf(runs, (one) => one.meanRequestSeconds).toFixed(2)],
  ['429', (runs) => percent(medianOf(runs, (one) => one.refusedRatio))],
  ['timeouts', (runs) => percent(medianOf(runs, (one) => one.timeoutRatio))],
  ['parked slot-s', (runs) => count(medianOf(runs, (one) => one.parkedSlotSeconds))],
  ['to dead', (runs) => count(medianOf(runs, (one) => one.deadRequests))],
  ['bans', (runs) => count(medianOf(runs, (one) => one.bannedHosts))],
  ['last page', (runs) => seconds(medianOf(runs, (one) => one.lastPageSeconds))],
  ['makespan', (runs) => seconds(medianOf(runs, (one) => one.makespanSeconds ?? Infinity))],
  ['T*', (runs) => seconds(medianOf(runs, (one) => one.boundSeconds))],
  ['over T*', (runs) => over(medianOf(runs, (one) => (one.makespanSeconds ?? Infinity) / one.boundSeconds))],
]

/** One line a contestant. */
export function table(contestants: readonly (readonly Figures[])[]): string {
  const rows = [COLUMNS.map(([head]) => head), ...contestants.map((runs) => COLUMNS.map(([, cell]) => cell(runs)))]
  const widths = COLUMNS.map((_, n) => Math.max(...rows.map((row) => (row[n] ?? '').length)))
  return rows
    .map((row) => row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  '))
    .join('\n')
}

function medianOf(runs: readonly Figures[], pick: (one: Figures) => number): number {
  return median(runs.map(pick))
}

const count = (n: number): string => Math.round(n).toLocaleString('en')
const percent = (ratio: number): string => `${(100 * ratio).toFixed(1)} %`
const seconds = (n: number): string => (n === Infinity ? 'never' : `${count(n)} s`)
const over = (ratio: number): string => (ratio === Infinity ? '' : `+${(100 * (ratio - 1)).toFixed(0)} %`)
