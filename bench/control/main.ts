// All tables of control. `npm run bench:control -- --seeds 20 [--quick] [--json]`; only some: name them, `rate window`. Fails for a bar, not for an aim.
import type { Row } from './row.ts'
import { toldOptions } from '../told-options.ts'

type Table = (options: { readonly seeds: number; readonly quick?: boolean }) => Promise<readonly Row[]> | readonly Row[]

const TABLES: Readonly<Record<string, () => Promise<Table>>> = {
  rate: async () => (await import('./rate.ts')).rateTable,
  window: async () => (await import('./window.ts')).windowTable,
  timeout: async () => (await import('./timeout.ts')).timeoutTable,
  breaker: async () => (await import('./breaker.ts')).breakerTable,
  promises: async () => (await import('./promises.ts')).promisesTable,
  worlds: async () => (await import('./worlds.ts')).worldsTable,
  strangers: async () => (await import('./strangers.ts')).strangersTable,
}

const { values, positionals } = toldOptions('bench:control', {
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

const unknown = positionals.filter((name) => !Object.hasOwn(TABLES, name))
if (unknown.length > 0) throw new Error(`expected tables among ${Object.keys(TABLES).join(', ')}, got ${unknown.join(', ')}`)

const rows: Row[] = []
for (const [name, load] of Object.entries(TABLES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const startedAt = performance.now()
  const table = await load()
  rows.push(...(await table({ seeds, quick: values.quick })))
  console.error(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
}
console.log(values.json ? JSON.stringify({ schema: 1, seeds, quick: values.quick, rows }, undefined, 2) : printed(rows))
process.exitCode = rows.every(({ holds, isAim }) => holds || isAim) ? 0 : 1

function printed(table: readonly Row[]): string {
  const lines = table.map(({ name, seeds: count, bar, median, worst, unit, holds, isAim }) => [
    name,
    String(count),
    figure(median),
    figure(worst),
    unit,
    bar === '–' || !isAim ? bar : `aim: ${bar}`,
    bar === '–' ? '' : holds ? 'PASS' : 'MISS',
  ])
  const cells = [['', 'seeds', 'median', 'worst', '', 'bar', ''], ...lines]
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? []
  const text = cells.map((line) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  )
  const judged = table.filter(({ bar }) => bar !== '–')
  const [bars, aims] = [judged.filter(({ isAim }) => !isAim), judged.filter(({ isAim }) => isAim)]
  return [...text, '', `${tally(bars)} bars hold; ${tally(aims)} aims are reached`].join('\n')
}

function tally(table: readonly Row[]): string {
  return `${table.filter(({ holds }) => holds).length} of ${table.length}`
}

function pad(cell: string, width: number, column: number): string {
  return column >= 1 && column <= 3 ? cell.padStart(width) : cell.padEnd(width)
}

function figure(value: number): string {
  return Number.isNaN(value) ? 'none' : String(value)
}
