// What the five policies cost: the same crawl on virtual time without plugins, with each alone, and with all; CPU per exchange, as differences.
//
// Usage: npm run bench:plugins -- [--rounds 3] [--hosts 200] [--pages 100] [--only NAME,…] [--json]
// Each measurement is a process of its own: two crawls to warm up, three that count. Rounds are interleaved and medians printed. Keeping their memory (JSON
// with every commit) is part of the cost. Without a plugin that paces, core's own politeness is there, with no spacing.
import { spawnSync } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { crawl, memoryFrontier, spider, type Plugin } from 'avocet'
import { adaptiveTimeout } from '@avocet/plugin-adaptive-timeout'
import { aimd } from '@avocet/plugin-aimd'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { robots } from '@avocet/plugin-robots'
import { simulatedWeb, siteModel, VirtualClock, type SiteModel } from '@avocet/simulator'
import { toldOptions } from './told-options.ts'

/** Most that all five may cost an exchange. */
const BAR_US = 20

/** Crawls of one process: what goes on for weeks is compiled. */
const WARM_UP = 2
const COUNTED = 3

const { values } = toldOptions('bench:plugins', {
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    one: { type: 'string' },
    hosts: { type: 'string', default: '200' },
    pages: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
})

/** Made anew for each crawl, with their defaults; the rate is let up to where time is not all that passes. */
const POLICIES: Readonly<Record<string, () => Plugin>> = {
  robots: () => robots(),
  aimd: () => aimd({ maxRps: 50 }),
  breaker: () => breaker(),
  'adaptive-timeout': () => adaptiveTimeout(),
  retry: () => retry(),
}
const contestants: Readonly<Record<string, () => readonly Plugin[]>> = {
  none: () => [],
  ...Object.fromEntries(Object.entries(POLICIES).map(([name, make]) => [name, () => [make()]])),
  'all five': () => Object.values(POLICIES).map((make) => make()),
}
const model = siteModel({
  seed: 'plugins',
  hosts: Array.from({ length: Number(values.hosts) }, (_, n) => ({
    name: `host-${String(n)}.test`,
    pages: { kind: 'list', pages: Number(values.pages), textBytes: 200 },
    latency: { law: 'uniform', minMs: 50, maxMs: 500 },
  })),
})

const costs = new Map<string, number[]>()
if (values.one === undefined) await measureAll()
else console.log(await costOf(model, values.one))

async function measureAll(): Promise<void> {
  const only = values.only.split(',')
  const names = Object.keys(contestants).filter((name) => values.only === '' || name === 'none' || only.includes(name))
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const name of names) costs.set(name, [...(costs.get(name) ?? []), inProcess(name)])
    console.error(`round ${String(round)} of ${values.rounds}`)
  }
  print(names)
}

/** One contestant in a process of its own, so that no other's shapes are in its compiled code. */
function inProcess(name: string): number {
  const script = process.argv[1] ?? ''
  const sizes = ['--hosts', values.hosts, '--pages', values.pages]
  const { stdout, status } = spawnSync(process.execPath, [...process.execArgv, script, '--one', name, ...sizes], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`${name} ended with ${String(status)}`)
  return Number(stdout.toString())
}

/** Microseconds of CPU per exchange. */
async function costOf(web: SiteModel, name: string): Promise<number> {
  for (let crawls = 0; crawls < WARM_UP; crawls++) await cpuOf(web, contestants[name]?.() ?? [])
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const counted: number[] = []
  while (counted.length < COUNTED) {
    collect()
    counted.push(await cpuOf(web, contestants[name]?.() ?? []))
  }
  return median(counted)
}

async function cpuOf(web: SiteModel, plugins: readonly Plugin[]): Promise<number> {
  const clock = new VirtualClock()
  const run = crawl({
    policies: [],
    spider: spider({ name: 'plugins', seeds: web.seeds(), handlers: { *start() {} } }),
    plugins,
    frontier: memoryFrontier(),
    delayMs: 0,
    randomSeed: 'plugins',
    clock,
    fetcher: simulatedWeb(web, { clock }),
  })
  const from = process.cpuUsage()
  const report = await clock.run(() => run.run())
  const { user, system } = process.cpuUsage(from)
  return (user + system) / report.run.requests
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** Of the differences within each round: what slows the machine slows both. */
function difference(name: string): number {
  const base = costs.get('none') ?? []
  return median((costs.get(name) ?? []).map((us, round) => us - (base[round] ?? Number.NaN)))
}

function print(names: readonly string[]): void {
  const rows = names.map((name) => ({
    plugins: name,
    exchangeUs: Number(median(costs.get(name) ?? []).toFixed(1)),
    costUs: Number(difference(name).toFixed(1)),
  }))
  const allUs = difference('all five')
  const passed = allUs <= BAR_US
  if (values.json) console.log(JSON.stringify({ schema: 1, rows, allUs, barUs: BAR_US, passed }))
  else {
    console.table(rows)
    console.log(
      `${passed ? 'PASS' : 'MISS'}: all five cost ${allUs.toFixed(1)} µs of CPU per exchange (bar: at most ${String(BAR_US)})`,
    )
  }
  process.exitCode = passed ? 0 : 1
}
