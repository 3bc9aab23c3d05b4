// Large stores and lists: `npm run bench:large [-- --only verify,seeds,robots]`, some ten minutes. Exit code 1 when a line
// misses its bar (MISSED); lines without one are there to compare with.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from '@avocet/plugin-sqlite'
import { begin } from './avocet.ts'
import { robotsRun } from './robots.ts'
import { seedRun, type Wanted } from './seeds.ts'
import { fill } from './store.ts'
import { toldOptions } from '../told-options.ts'

const [HOSTS, REQUESTS, SEEDS, RULES] = [10_000, 1_000_000, 1_000_000, 24_000]
const SIGINT = { signal: 'SIGINT', afterMs: 10_000 } as const

const { values } = toldOptions('bench:large', { options: { only: { type: 'string', default: 'verify,seeds,robots' } } })
const PARTS = { verify, seeds, robots }
const wanted = values.only.split(',')
const unknown = wanted.find((name) => !Object.hasOwn(PARTS, name))
if (unknown !== undefined) {
  console.error(`bench:large: expected --only with parts of ${Object.keys(PARTS).join(', ')}, got ${unknown}`)
  process.exit(2)
}
const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'avocet-large-'))
try {
  for (const [name, part] of Object.entries(PARTS)) if (wanted.includes(name)) await part()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function line(what: string, value: number, unit: string, { most, beside = '' }: { most?: number; beside?: string } = {}): void {
  const isMissed = most !== undefined && !(value <= most)
  if (isMissed) process.exitCode = 1
  const bar = most === undefined ? beside : `<= ${most}${isMissed ? ' MISSED' : ''}`
  console.log(`${what.padEnd(68)}${value.toFixed(value < 10 ? 2 : 0).padStart(10)} ${unit.padEnd(4)} ${bar}`)
}

async function verify(): Promise<void> {
  const frontier = sqlite(join(folder, 'm.db'))
  await frontier.open({ name: 'large', hostKeying: 'host' }, Date.now())
  await fill(frontier, HOSTS, REQUESTS)
  await frontier.close()
  const others = [
    'status m.db',
    'hosts m.db',
    'report m.db --json',
    'failed list m.db',
    'failed retry --class permanent --store m.db',
  ]
  for (const words of ['store verify m.db', ...others, 'export m.db -O m.csv', 'store compact m.db']) {
    const { ms, peakMb } = await begin(words.split(' '), folder).ended
    line(`avocet ${words}`, ms / 1_000, 's', words === 'store verify m.db' ? { most: 60 } : { beside: `${peakMb.toFixed(0)} MB` })
  }
}

async function seeds(): Promise<void> {
  const array = { store: 'array.db', kind: 'array', seeds: SEEDS } as const
  const iterable = { store: 'iterable.db', kind: 'iterable', seeds: SEEDS } as const
  const runs: readonly (readonly [what: string, job: Wanted])[] = [
    ['1,000 seeds', { ...array, store: 'few.db', seeds: 1_000, ...SIGINT }],
    ['array, new', { ...array, ...SIGINT }],
    ['array, resumed', { ...array, signal: 'SIGKILL', afterMs: 10_000 }],
    ['array, after kill -9, until all are known', { ...array, signal: 'SIGINT' }],
    ['array, all known', { ...array, maxTimeMs: 5_000 }],
    ['iterable, new', { ...iterable, ...SIGINT }],
    ['iterable, resumed', { ...iterable, maxTimeMs: 5_000 }],
    ['async iterable, new', { ...iterable, store: 'async.db', kind: 'async', ...SIGINT }],
  ]
  for (const [what, job] of runs) {
    const { firstMs, endedMs, peakMb, known } = await seedRun(job, folder)
    line(`${what}: to the first request`, firstMs / 1_000, 's', { most: 1 })
    line('  from the signal or the limit to the end', endedMs / 1_000, 's')
    if (job.signal !== 'SIGKILL') line('  peak memory', peakMb, 'MB', { most: 250 })
    line('  known', known, '')
  }
}

async function robots(): Promise<void> {
  for (const rules of [10, RULES]) {
    const { crawl, report } = await robotsRun(folder, rules)
    line(`200 hosts with ${rules} rules each: longest block`, crawl.blockMs, 'ms', { most: 100 })
    line('  peak memory', crawl.peakMb, 'MB')
    line('  avocet report', report.ms / 1_000, 's')
  }
}
