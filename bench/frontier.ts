// What the durable frontier costs: `npm run bench:frontier [-- --json]`, about a minute; with `--store postgres [--rounds 3]` that on a server.
//
// On SQLite, each figure comes from a process of its own.
// URLs of 72 bytes over 800 hosts, clustered as links are: runs of a dozen to one host. CPU is user and system time of the measuring process.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figures, Task } from './frontier-tasks.ts'
import { toldOptions } from './told-options.ts'

const { values } = toldOptions('bench:frontier', {
  options: {
    store: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
})
const { store, rounds } = values
if (store !== 'sqlite' && store !== 'postgres') refuse(`expected --store sqlite or --store postgres, got ${store}`)
if (!/^[1-9]\d?$/.test(rounds)) refuse(`expected --rounds of 1 to 99, got ${rounds}`)

interface Row {
  readonly what: string
  readonly figure: string
  readonly unit: string
  readonly aim: string
}

const TASKS: readonly Task[] = [
  'grow',
  'kill',
  'resume',
  'known',
  'turns',
  'disk',
  'prepareSmall',
  'prepareLarge',
  'small',
  'large',
]

/** V8 takes tens of MB of young garbage now and gives them back later; with its heap bound, what remains is what the store takes. */
const BOUNDED_HEAP = ['--expose-gc', '--max-semi-space-size=1', '--max-old-space-size=64']
const MEMORY_TASKS: ReadonlySet<Task> = new Set(['known', 'small', 'large'])

if (store === 'postgres') {
  const { postgresFigures, postgresTable } = await import('./frontier-postgres/figures.ts')
  const figures = await postgresFigures(Number(rounds))
  console.log(values.json ? JSON.stringify(figures) : postgresTable(figures).join('\n'))
} else await measureSqlite()

async function measureSqlite(): Promise<void> {
  const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'avocet-bench-'))
  try {
    const figures: Figures = {}
    for (const task of TASKS) Object.assign(figures, await run(task, folder))
    if (values.json) return console.log(JSON.stringify(figures))
    for (const { what, figure, unit, aim } of rowsOf(figures))
      console.log(`${what.padEnd(62)}${figure.padStart(12)} ${unit.padEnd(14)}${aim}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function refuse(mistake: string): never {
  console.error(`bench:frontier: ${mistake}`)
  process.exit(2)
}

/** Runs one task in a process of its own, which may end by a kill. */
function run(task: Task, folder: string): Promise<Figures> {
  return new Promise((resolve, reject) => {
    let figures: Figures = {}
    const execArgv = MEMORY_TASKS.has(task) ? BOUNDED_HEAP : []
    const child = fork(new URL('./frontier-tasks.ts', import.meta.url), [task, folder], { execArgv })
    child.on('message', (message) => {
      figures = message as Figures
    })
    child.on('exit', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(figures)
      else reject(new Error(`${task} ended with ${String(code)}`))
    })
  })
}

function rowsOf(figures: Figures): Row[] {
  const of = (name: string): number => figures[name] ?? NaN
  const row = (what: string, value: number, unit: string, aim = ''): Row => {
    return { what, figure: value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2), unit, aim }
  }
  const growth = of('rssLargeMb') - of('rssSmallMb')
  return [
    row('new URLs, batches of 10,000 up to 1,000,000', of('newPerCpuSecond'), '/CPU s', '≥ 200,000'),
    row('  the last 100,000 of them', of('newPerCpuSecondAtTheEnd'), '/CPU s'),
    row('  longest call', of('longestAddMs'), 'ms'),
    row('turns of 93 known links and 1 new, 64 a commit', of('turnCpuUs'), 'µs CPU/turn', '≤ 60'),
    row('  new URLs on that path', 1e6 / of('turnCpuUs'), '/CPU s'),
    row('  longest commit', of('longestCommitMs'), 'ms'),
    row('known URLs, met before', of('knownPerCpuSecond'), '/CPU s', '≥ 1,000,000'),
    row('known URLs, met the first time since the store was opened', of('coldKnownPerCpuSecond'), '/CPU s'),
    row('RAM for 1,000,000 known URLs, all met', of('ramMbPerMillion'), 'MB', '≤ 40'),
    row('open() to the first leased request, 1,000,000 URLs, after kill -9', of('resumeMs'), 'ms', '≤ 300'),
    row('disk after a crawl, all of it', of('bytesPerUrl'), 'B/URL'),
    row('  without anchor text and history', of('bytesPerUrl') - of('anchorBytes') - of('historyBytes'), 'B/URL', '≤ 120'),
    row('  history', of('historyBytes'), 'B/URL', '≤ 40'),
    row('  rows of requests', of('requestBytes') - of('anchorBytes'), 'B/URL'),
    row('  index of fingerprints', of('knownBytes'), 'B/URL'),
    row('  waiting queue, while all wait', of('spanBytes'), 'B/URL'),
    row('resident memory, 100,000 known URLs over 1,000', growth, 'MB', '< 10'),
  ]
}
