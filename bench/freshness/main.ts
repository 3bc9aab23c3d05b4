// How soon changes are seen: `adaptive()` beside a solver that knows the rates, uniform visits, and a posterior of each URL by itself. On virtual time, seeded.
// `npm run bench:freshness -- [--seeds 12] [--json]`. Each figure is a ratio of mean delays at the same number of requests per host, of changes in the two days
// after the first two. A tenth of an hourly visit of each page is what there is to spend. Fails for a bar that is missed, not for an aim: the solver itself
// misses that beside uniform visits where nothing comes together.
import { rowsOn, type Reading, type Row } from '../control/row.ts'
import { seedsTo } from '../control/seeded.ts'
import { toldOptions } from '../told-options.ts'
import { crawled } from './crawled.ts'
import {
  adaptive,
  MEASURED_UNTIL,
  LEARNED,
  meanDelay,
  oracle,
  perUrl,
  simulate,
  uniform,
  UNTIL,
  type Policy,
} from './simulate.ts'
import { watchedShops, worldOf, type WorldHost, type WorldSpec } from './world.ts'

const { values } = toldOptions('bench:freshness', {
  options: { seeds: { type: 'string', default: '12' }, json: { type: 'boolean', default: false } },
})
const seeds = seedsTo(Number(values.seeds))

const SHOPS = { hosts: 12, pages: 240, hours: UNTIL }
const PLAIN = { ...SHOPS, medianHours: 60 }
/** Half of all changes are of bursts. */
const BURSTS = { ...SHOPS, medianHours: 120, bursts: { aDay: 1, share: 0.5 } }

/** Mean delays of a world, in hours. */
interface Delays {
  readonly adaptive: number
  readonly solver: number
  readonly uniform: number
  readonly perUrl: number
  readonly unsigned: number
  /** Of the budget. */
  readonly used: number
}

function delaysIn(spec: Omit<WorldSpec, 'seed'>, seed: number, made = worldOf): Delays {
  const world = made({ ...spec, seed })
  const own = world.map((host) => simulate(host, adaptive()))
  const visits = own.map((each) => each.visits / (MEASURED_UNTIL - LEARNED))
  const mean = (policy: (host: WorldHost, visitsPerHour: number) => Policy): number =>
    meanDelay(world.map((host, n) => simulate(host, policy(host, visits[n] ?? 0))))
  return {
    adaptive: meanDelay(own),
    solver: mean(oracle),
    uniform: mean(uniform),
    perUrl: mean(perUrl),
    unsigned:
      spec.signs === undefined ? Number.NaN : mean((_host, visitsPerHour) => ({ visited: adaptive(visitsPerHour).visited })),
    used: visits.reduce((sum, each) => sum + each, 0) / (spec.hosts * (spec.pages / 10)),
  }
}

const plain = rowsOn(seeds.map((seed) => delaysIn(PLAIN, seed)))
const bursts = rowsOn(seeds.map((seed) => delaysIn(BURSTS, seed)))
const signs = rowsOn(seeds.map((seed) => delaysIn({ ...PLAIN, signs: 'true' }, seed)))
const lies = rowsOn(seeds.map((seed) => delaysIn({ ...PLAIN, signs: 'lying' }, seed)))
const shops = rowsOn(seeds.map((seed) => delaysIn({ ...PLAIN, hosts: 24 }, seed, watchedShops)))
const engine = rowsOn(await Promise.all(seeds.slice(0, 4).map(async (seed) => crawled(seed))))
const most = (atMost: number): Reading => ({ atMost, judged: 'median' })

const rows: readonly Row[] = [
  plain('no bursts: delay ÷ solver', (of) => of.adaptive / of.solver, most(1.1)),
  plain('no bursts: delay ÷ uniform', (of) => of.adaptive / of.uniform, { ...most(0.65), isAim: true }),
  plain('no bursts: solver ÷ uniform', (of) => of.solver / of.uniform),
  plain('no bursts: delay ÷ each URL by itself', (of) => of.adaptive / of.perUrl),
  plain('no bursts: requests ÷ budget', (of) => of.used, most(1.02)),
  bursts('bursts: delay ÷ solver', (of) => of.adaptive / of.solver, most(1.1)),
  bursts('bursts: delay ÷ uniform', (of) => of.adaptive / of.uniform, { ...most(0.65), isAim: true }),
  bursts('bursts: delay ÷ each URL by itself', (of) => of.adaptive / of.perUrl, most(0.85)),
  bursts('bursts: requests ÷ budget', (of) => of.used, most(1.02)),
  signs('true lastmod: delay ÷ without', (of) => of.adaptive / of.unsigned),
  lies('lying lastmod: delay ÷ without', (of) => of.adaptive / of.unsigned, most(1)),
  shops('shops of bench/watch: delay ÷ solver', (of) => of.adaptive / of.solver, most(1.1)),
  shops('shops of bench/watch: delay ÷ uniform', (of) => of.adaptive / of.uniform, { ...most(0.65), isAim: true }),
  shops('shops of bench/watch: ÷ each URL by itself', (of) => of.adaptive / of.perUrl),
  shops('shops of bench/watch: requests ÷ budget', (of) => of.used, most(1.02)),
  engine('through the engine, bursts: delay ÷ uniform', (of) => of.adaptive / of.uniform),
  engine('through the engine ÷ the law alone', (of) => of.adaptive / of.law, most(1.1)),
  engine('through the engine: requests ÷ budget', (of) => of.used, most(1.1)),
]

if (values.json) console.log(JSON.stringify({ schema: 1, rows }, undefined, 2))
else
  for (const { name, median, worst, bar, holds, isAim, seeds: count } of rows)
    console.log(
      [
        name.padEnd(46) + String(median).padStart(8) + String(worst).padStart(8),
        `${count} seeds`.padStart(9),
        (isAim ? `aim: ${bar}` : bar).padEnd(19),
        bar === '–' ? '' : holds ? 'holds' : 'MISSED',
      ]
        .join('  ')
        .trimEnd(),
    )
process.exitCode = rows.every(({ holds, isAim }) => holds || isAim) ? 0 : 1
