// What a store on PostgreSQL costs its server: all figures of `npm run bench:frontier -- --store postgres`, and how they are printed. Three minutes or so.
//
// Each figure is the median of its rounds, with the least and the most. The server has fsync on and PostgreSQL's own settings; its CPU is user and system time of
// all its processes. Pages are those of page-turns.ts: commits, leases and what gives hosts back, all together, are the cost of a page.
import type { Figures } from '../frontier-tasks.ts'
import { startedServer } from './bench-server.ts'
import { bytesAUrl } from './disk.ts'
import { distancePairs } from './distance.ts'
import { groupsASecond, pageCosts } from './page-cost.ts'

const SIZES = [16, 64]

/** One line of the table. */
interface FigureLine {
  readonly what: string
  readonly key: string
  readonly unit: string
  readonly aim: string
}

const LINES: readonly FigureLine[] = [
  { what: 'a page, groups of 16', key: 'pageUs16', unit: 'µs server CPU', aim: '≤ 110' },
  { what: '  of which commits', key: 'commitUs16', unit: 'µs server CPU', aim: '' },
  { what: 'a page, groups of 64', key: 'pageUs64', unit: 'µs server CPU', aim: '≤ 75' },
  { what: '  of which commits', key: 'commitUs64', unit: 'µs server CPU', aim: '' },
  { what: 'groups of 16 pages, from 16 connections at 2 ms a flush', key: 'groupsASecond', unit: '/s', aim: '≥ 800' },
  { what: 'disk of a URL after a crawl, with its history', key: 'bytesPerUrl', unit: 'B', aim: '≤ 320' },
  { what: '  history', key: 'historyBytes', unit: 'B', aim: '' },
  { what: 'pages a second, the server on this machine', key: 'pagesNear', unit: '/s', aim: '' },
  { what: '  kept over 5 ms of round trip', key: 'keptPercent', unit: '%', aim: '≥ 95' },
]

/** Measures everything, in so many rounds. */
export async function postgresFigures(rounds: number): Promise<Figures> {
  const figures: Figures = { rounds, serverVersion: await serverVersion() }
  for (const [size, costs] of await pageCosts(SIZES, rounds)) {
    Object.assign(
      figures,
      spread(
        `pageUs${String(size)}`,
        costs.map(({ pageUs }) => pageUs),
      ),
    )
    Object.assign(
      figures,
      spread(
        `commitUs${String(size)}`,
        costs.map(({ commitUs }) => commitUs),
      ),
    )
  }
  Object.assign(figures, spread('groupsASecond', await groupsASecond(16, rounds)))
  const { all, history } = await bytesAUrl()
  Object.assign(figures, { bytesPerUrl: all, historyBytes: history })
  const pairs = await distancePairs(rounds)
  Object.assign(
    figures,
    spread(
      'pagesNear',
      pairs.map(({ near }) => near),
    ),
  )
  Object.assign(
    figures,
    spread(
      'keptPercent',
      pairs.map(({ near, far }) => (100 * far) / near),
    ),
  )
  return figures
}

/** The table. */
export function postgresTable(figures: Figures): readonly string[] {
  const lines = LINES.map(({ what, key, unit, aim }) => {
    const [least, most] = [figures[`${key}Least`], figures[`${key}Most`]]
    const range = least === undefined || most === undefined ? '' : `${shown(least)} to ${shown(most)}`
    return `${what.padEnd(58)}${shown(figures[key] ?? NaN).padStart(8)} ${unit.padEnd(15)}${range.padEnd(20)}${aim}`.trimEnd()
  })
  return [`PostgreSQL ${String(figures['serverVersion'])}, fsync on; medians of ${String(figures['rounds'])}`, ...lines]
}

async function serverVersion(): Promise<number> {
  const server = await startedServer()
  await server.stop()
  return Number(server.version)
}

function spread(key: string, values: readonly number[]): Figures {
  const sorted = values.toSorted((a, b) => a - b)
  const median = ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2
  return { [key]: median, [`${key}Least`]: sorted[0] ?? NaN, [`${key}Most`]: sorted.at(-1) ?? NaN }
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1)
}
