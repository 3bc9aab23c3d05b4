// The default rate law against servers that refuse: how much of what they take is used, how much is refused, how soon a change is found.
//
// Every row says its bar, and whether it holds; a row without a bar is there to be known. The law stands alone: no limit in flight, latency 0.3 s ± 30 %,
// capacity ± 20 %, chance and phase by seed. What the rows mean stands in rate-worlds.ts.
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
import type { Row } from './timeout.ts'

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
  const all = Array.from({ length: seeds }, (_, n) => n + 1)
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
  const rows = BURSTS.flatMap((burst) => {
    const runs = seeds.map((seed) => steppedHour(law, seed, burst))
    const name = `hour of C, C/2, C, 2C, C = 5, burst ${burst}`
    const of = (figure: (run: HourFigures) => number): readonly number[] => runs.map(figure)
    return [
      ...shareRows(name, runs, { used: 92 }),
      atMost(
        `${name}: refusals in the minute after the halving`,
        '',
        of((run) => run.halvingRefusals),
        6,
      ),
      // From the first refusal on: before it, a full bucket hides the halving.
      atMost(
        `${name}: halving settled`,
        's',
        of((run) => run.settledMs / 1_000),
        5,
      ),
      atMost(
        `${name}: 2C found (10 s at 90 %)`,
        's',
        of((run) => (run.doubledMs[1] ?? 0) / 1_000),
        60,
      ),
      known(
        `${name}: C found after C/2`,
        's',
        of((run) => (run.doubledMs[0] ?? 0) / 1_000),
      ),
      atMost(
        `${name}: cold start`,
        's',
        of((run) => run.coldStartMs / 1_000),
        30,
      ),
      atMost(
        `${name}: refusals in the first 120 s`,
        '',
        of((run) => run.coldRefusals),
        15,
      ),
    ]
  })
  return rows
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
    (quick ? [5] : BURSTS).flatMap((burst) => {
      const runs = seeds.map((seed) => sharedBucket(law, seed, { clients, burst }))
      const name = `${clients} crawlers on one bucket, burst ${burst}`
      const jain = runs.map((run) => run.jain)
      const isJudged = clients === 2 && burst > 1
      const fair = isJudged ? atLeast(`${name}: Jain`, '', jain, 0.95) : known(`${name}: Jain`, '', jain)
      return [
        fair,
        known(
          `${name}: refused, worst crawler`,
          '%',
          runs.map((run) => 100 * run.refusedRatio),
        ),
      ]
    }),
  )
}

function randomRows(law: RateLaw, seeds: readonly number[], quick: boolean): readonly Row[] {
  return (quick ? [0.01] : [0.002, 0.01, 0.03]).flatMap((ratio) =>
    [undefined, 5].flatMap((burst) => {
      const runs = seeds.map((seed) => randomRefusals(law, seed, { ratio, ...(burst !== undefined && { burst }) }))
      const name = `${100 * ratio} % refused at random, ${burst === undefined ? 'no other limit' : `bucket with burst ${burst}`}`
      return shareRows(name, runs, ratio === 0.01 ? { used: 85 } : {})
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
        known(
          `${name}: back`,
          's',
          blackouts.map((run) => run.backMs / 1_000),
        ),
      ]
    }),
  ]
}

interface Bars {
  /** Percent. */
  readonly used?: number
  readonly refused?: number
}

function shareRows(name: string, runs: readonly Share[], { used, refused }: Bars): readonly Row[] {
  const usedNow = runs.map(({ utilisation }) => 100 * utilisation)
  const refusedNow = runs.map(({ refusedRatio }) => 100 * refusedRatio)
  const minutes = runs.map(({ worstMinute }) => worstMinute)
  return [
    used === undefined ? lows(`${name}: used`, '%', usedNow) : atLeast(`${name}: used`, '%', usedNow, used),
    refused === undefined ? known(`${name}: refused`, '%', refusedNow) : atMost(`${name}: refused`, '%', refusedNow, refused),
    known(`${name}: refusals in the worst minute`, '', minutes),
  ]
}

/** The median is judged; the worst is shown. */
function atMost(name: string, unit: string, values: readonly number[], bar: number): Row {
  const row = known(name, unit, values)
  return { ...row, bar: `≤ ${bar}`, holds: row.median <= bar }
}

function atLeast(name: string, unit: string, values: readonly number[], bar: number): Row {
  const row = lows(name, unit, values)
  return { ...row, bar: `≥ ${bar}`, holds: row.median >= bar }
}

/** Where less is better. */
function known(name: string, unit: string, values: readonly number[]): Row {
  return { name, bar: '–', median: median(values), worst: Math.max(...values), unit, holds: true }
}

/** Where more is better. */
function lows(name: string, unit: string, values: readonly number[]): Row {
  return { ...known(name, unit, values), worst: Math.min(...values) }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
