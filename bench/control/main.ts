// All tables of control: rate, window, timeout, breaker. `npm run bench:control -- --seeds 20 [--quick] [--json]`; only some: name them, `rate window`.
import { parseArgs } from 'node:util'
import type { Row } from './timeout.ts'

type Table = (options: { readonly seeds: number; readonly quick?: boolean }) => Promise<readonly Row[]> | readonly Row[]

const TABLES: Readonly<Record<string, () => Promise<Table>>> = {
  rate: async () => (await import('./rate.ts')).rateTable,
  window: async () => (await import('./window.ts')).windowTable,
  timeout: async () => (await import('./timeout.ts')).timeoutTable,
  breaker: async () => (await import('./breaker.ts')).breakerTable,
}

const { values, positionals } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const seeds = Number(values.seeds)
if (!Number.isSafeInteger(seeds) || seeds < 1)
  throw new Error(`expected --seeds to be a whole number of at least 1, got ${values.seeds}`)

const rows: Row[] = []
for (const [name, load] of Object.entries(TABLES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const startedAt = performance.now()
  const table = await load()
  rows.push(...(await table({ seeds, quick: values.quick })))
  console.error(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
}
console.log(values.json ? JSON.stringify({ schema: 1, seeds, quick: values.quick, rows }, undefined, 2) : printed(rows))
process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1

function printed(table: readonly Row[]): string {
  const lines = table.map(({ name, bar, median, worst, unit, holds }) => [
    name,
    figure(median),
    figure(worst),
    unit,
    bar,
    said(bar, holds),
  ])
  const cells = [['', 'median', 'worst', '', 'bar', ''], ...lines]
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? []
  const missed = table.filter(({ holds }) => !holds).length
  const judged = table.filter(({ bar }) => bar !== '–').length
  const text = cells.map((line) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  )
  return [...text, '', `${judged - missed} of ${judged} bars hold`].join('\n')
}

function said(bar: string, holds: boolean): string {
  if (!holds) return 'MISS'
  return bar === '–' ? '' : 'PASS'
}

function pad(cell: string, width: number, column: number): string {
  return column === 1 || column === 2 ? cell.padStart(width) : cell.padEnd(width)
}

function figure(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}
