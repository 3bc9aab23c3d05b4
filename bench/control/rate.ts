// The default rate law against servers that refuse: how much of what they take is used, how much is refused, how soon a change is found.
//
// The median over the seeds is judged: capacity (± 20 %), latency (0.3 s ± 30 %), phase and chance are the seed's. The law stands alone: no limit in
// flight, no maximum in its way, and no opening, in which a stranger is asked less than the law would (opening.ts). The worlds: rate-worlds.ts.
import { harmBudget } from '../../packages/plugin-aimd/src/laws/harm-budget.ts'
import type { RateLaw } from '../../packages/plugin-aimd/src/rate-law.ts'
import {
  blackout,
  fixedWindow,
  manyHosts,
  randomRefusals,
  sharedBucket,
  sine,
  steady,
  steppedHour,
  type HourFigures,
  type Share,
} from './rate-worlds.ts'
import { rowsOn, type Reading, type Row } from './row.ts'
import { seedsTo } from './seeded.ts'

const BURSTS = [1, 5, 20] as const

interface Options {
  readonly seeds: number
  /** Only the rows with a bar. */
  readonly quick?: boolean
  /** Default: the default law. */
  readonly law?: RateLaw
}

/** The table. */
export function rateTable({ seeds, quick = false, law = harmBudget() }: Options): readonly Row[] {
  const all = seedsTo(seeds)
  const barred = [
    ...steadyRows(law, all),
    ...hourRows(law, all),
    ...hostsRows(law, all),
    ...fairRows(law, all, quick),
    ...randomRows(law, all, quick),
  ]
  return quick ? barred : [...barred, ...otherRows(law, all)]
}

function steadyRows(law: RateLaw, seeds: readonly number[]): readonly Row[] {
  return [0.5, 5, 50].flatMap((rps) =>
    BURSTS.flatMap((burst) => {
      const runs = seeds.map((seed) => steady(law, seed, { rps, burst }))
      return shareRows(`steady ${rps} rps, burst ${burst}`, runs, { used: 96, refused: rps < 5 ? 1 : 0.3 })
    }),
  )
}

function hourRows(law: RateLaw, seeds: readonly number[]): readonly Row[] {
  return BURSTS.flatMap((burst) => {
    const runs = seeds.map((seed) => steppedHour(law, seed, burst))
    const name = `hour of C, C/2, C, 2C, C = 5, burst ${burst}`
    const row = (what: string, figure: (run: HourFigures) => number, reading: Reading): Row =>
      rowsOn(runs)(`${name}: ${what}`, figure, { judged: 'median', ...reading })
    const found = { unit: 's', isAim: true }
    return [
      ...shareRows(name, runs, { used: 92 }),
      row('refusals in the minute after the halving', (run) => run.halvingRefusals, { atMost: 6 }),
      // From the first refusal on: before it, a full bucket hides the halving.
      row('halving settled', (run) => run.settledMs / 1_000, { unit: 's', atMost: 5 }),
      row('2C found (10 s at 90 %)', (run) => (run.doubledMs[1] ?? Number.NaN) / 1_000, { ...found, atMost: 60 }),
      row('C found after C/2', (run) => (run.doubledMs[0] ?? Number.NaN) / 1_000, { unit: 's' }),
      row('cold start', (run) => run.coldStartMs / 1_000, { ...found, atMost: 30 }),
      row('refusals in the first 120 s', (run) => run.coldRefusals, { atMost: 15 }),
    ]
  })
}

function hostsRows(law: RateLaw, seeds: readonly number[]): readonly Row[] {
  const low = seeds.map((seed) => manyHosts(law, seed, { scale: 0.2, fromMs: 0, toMs: 50_000 }))
  const high = seeds.map((seed) => manyHosts(law, seed, { scale: 1, fromMs: 20_000, toMs: 60_000 }))
  return [
    ...shareRows('80 hosts, 0.2 to 10 rps, first 50 s', low, { used: 95, refused: 3 }),
    ...shareRows('80 hosts, 1 to 50 rps, seconds 20 to 60', high, { used: 90, refused: 1.5 }),
  ]
}

function fairRows(law: RateLaw, seeds: readonly number[], quick: boolean): readonly Row[] {
  return (quick ? [2] : [2, 4, 8]).flatMap((clients) =>
    BURSTS.flatMap((burst) => {
      const runs = seeds.map((seed) => sharedBucket(law, seed, { clients, burst }))
      const name = `${clients} crawlers on one bucket, burst ${burst}`
      const aim = clients === 2 ? { atLeast: 0.95, isAim: true } : {}
      return [
        rowsOn(runs)(`${name}: Jain`, ({ jain }) => jain, { judged: 'median', worst: 'low', ...aim }),
        rowsOn(runs)(`${name}: refused, worst crawler`, ({ refusedRatio }) => 100 * refusedRatio, { unit: '%' }),
      ]
    }),
  )
}

function randomRows(law: RateLaw, seeds: readonly number[], quick: boolean): readonly Row[] {
  return (quick ? [0.01] : [0.002, 0.01, 0.03]).flatMap((ratio) =>
    [undefined, 5].flatMap((burst) => {
      const runs = seeds.map((seed) => randomRefusals(law, seed, { ratio, ...(burst !== undefined && { burst }) }))
      const name = `${100 * ratio} % refused at random, ${burst === undefined ? 'no other limit' : `bucket with burst ${burst}`}`
      return shareRows(name, runs, ratio === 0.01 ? { used: 85, isAim: true } : {})
    }),
  )
}

function otherRows(law: RateLaw, seeds: readonly number[]): readonly Row[] {
  const runs = (world: (seed: number) => Share): readonly Share[] => seeds.map(world)
  return [
    ...[1, 3, 8].flatMap((s) =>
      shareRows(
        `latency ${s} s, 10 rps`,
        runs((seed) => steady(law, seed, { rps: 10, burst: 5, latencyMs: s * 1_000 })),
        {},
      ),
    ),
    ...shareRows(
      'refusals in 80 ms, 10 rps',
      runs((seed) => steady(law, seed, { rps: 10, burst: 5, refusalMs: 80 })),
      {},
    ),
    ...shareRows(
      'refusals cost a token too, 5 rps',
      runs((seed) => steady(law, seed, { rps: 5, burst: 5, penalising: true })),
      {},
    ),
    ...shareRows(
      '300 a minute, with Retry-After',
      runs((seed) => fixedWindow(law, seed, true)),
      {},
    ),
    ...shareRows(
      '300 a minute, nothing said',
      runs((seed) => fixedWindow(law, seed, false)),
      {},
    ),
    ...BURSTS.flatMap((burst) =>
      shareRows(
        `5 rps ± 30 % in ten minutes, burst ${burst}`,
        runs((seed) => sine(law, seed, burst)),
        {},
      ),
    ),
    ...BURSTS.flatMap((burst) => {
      const blackouts = seeds.map((seed) => blackout(law, seed, burst))
      const name = `nothing for a minute, burst ${burst}`
      return [
        ...shareRows(name, blackouts, {}),
        rowsOn(blackouts)(`${name}: back`, ({ backMs }) => backMs / 1_000, { unit: 's' }),
      ]
    }),
  ]
}

interface Bars {
  /** Percent. */
  readonly used?: number
  readonly refused?: number
  readonly isAim?: boolean
}

function shareRows(name: string, runs: readonly Share[], { used, refused, isAim = false }: Bars): readonly Row[] {
  const percent = { unit: '%', judged: 'median', isAim } as const
  const row = rowsOn(runs)
  return [
    row(`${name}: used`, ({ utilisation }) => 100 * utilisation, { ...percent, atLeast: used, worst: 'low' }),
    row(`${name}: refused`, ({ refusedRatio }) => 100 * refusedRatio, { ...percent, atMost: refused }),
    row(`${name}: refusals in the worst minute`, ({ worstMinute }) => worstMinute),
  ]
}
