// Crawls that do not know of each other on one quota, such as that of an account or an address: 2 to 100 of them, on virtual time.
//
// Beside each other in one run: the default policy, exponential backoff, and the adaptive token bucket of arXiv 2510.04516. Bars: at most 3 % of the refusals
// of exponential backoff; Jain at least 0.9 over the pages of the second half; 0.9 of the quota used in it.
//
//   npm run bench:strangers -- --hours 2 --crawls 2,8,32,100 --rps 10,50 --seeds 3 --quota bucket
import { seedsTo } from '../control/seeded.ts'
import { toldOptions } from '../told-options.ts'
import { atb, avocet, backoff, type Contestant } from './contestants.ts'
import { shared, type Got, type Quota } from './quota.ts'

const { values } = toldOptions('bench:strangers', {
  options: {
    hours: { type: 'string', default: '2' },
    crawls: { type: 'string', default: '2,8,32,100' },
    rps: { type: 'string', default: '10,50' },
    seeds: { type: 'string', default: '3' },
    quota: { type: 'string', default: '' },
  },
})
const FOR_MS = Number(values.hours) * 3_600_000
const HALF_S = FOR_MS / 2_000
const FIRST_S = 600
const JOINS_WITHIN_MS = 60_000
/** No crawl is held back by its own maximum. */
const MOST_RPS = 100
const [MOST_OF_BACKOFF, LEAST_JAIN, LEAST_USED] = [0.03, 0.9, 0.9]

const QUOTAS: Readonly<Record<string, (rps: number) => Quota>> = {
  bucket: (perSecond) => ({ law: { law: 'bucket', perSecond, burst: perSecond } }),
  'bucket, Retry-After': (perSecond) => ({ law: { law: 'bucket', perSecond, burst: perSecond }, tells: 'retry-after' }),
  'window 60 s': (rps) => ({ law: { law: 'window', requests: 60 * rps, seconds: 60 } }),
  'window 60 s, Retry-After': (rps) => ({ law: { law: 'window', requests: 60 * rps, seconds: 60 }, tells: 'retry-after' }),
  'window 60 s, RateLimit': (rps) => ({ law: { law: 'window', requests: 60 * rps, seconds: 60 }, tells: 'fields' }),
  'sliding 10 s': (rps) => ({ law: { law: 'sliding', requests: 10 * rps, seconds: 10 } }),
}

interface Figures {
  /** Refusals of all, and of the first ten minutes. */
  readonly refused: number
  readonly refusedFirst: number
  /** Share of the requests that was refused. */
  readonly refusedRatio: number
  /** Over the pages of the second half. */
  readonly jain: number
  /** Share of the quota in the second half, and in the first ten minutes. */
  readonly used: number
  readonly usedFirst: number
}

interface Case {
  readonly name: string
  readonly rps: number
  readonly crawls: number
}

function figures(all: readonly Got[], rps: number): Figures {
  const served = (from: number, to?: number): number[] => all.map((got) => sum(got.served.subarray(from, to)))
  const refused = (to?: number): number => sum(all.map((got) => sum(got.refused.subarray(0, to))))
  return {
    refused: refused(),
    refusedFirst: refused(FIRST_S),
    refusedRatio: refused() / (refused() + sum(served(0))),
    jain: jain(served(HALF_S)),
    used: sum(served(HALF_S)) / (rps * HALF_S),
    usedFirst: sum(served(0, FIRST_S)) / (rps * FIRST_S),
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const each of numbers) total += each
  return total
}

/** 1 = all have the same, 1/n = one has all (Jain 1984). */
function jain(numbers: readonly number[]): number {
  return sum(numbers) ** 2 / (numbers.length * sum(numbers.map((each) => each ** 2)))
}

/** The mean over the seeds. */
function ran({ name, rps, crawls }: Case, contestant: Contestant): Figures {
  const quota = QUOTAS[name]?.(rps) ?? { law: { law: 'bucket', perSecond: rps, burst: rps } }
  const joinsAtMs = Array.from({ length: crawls }, (_, n) => Math.round((JOINS_WITHIN_MS * n) / crawls))
  const seeds = seedsTo(Number(values.seeds))
  const runs = seeds.map((seed) => figures(shared({ quota, contestant, joinsAtMs, forMs: FOR_MS, seed }), rps))
  const mean = (figure: keyof Figures): number => sum(runs.map((run) => run[figure])) / runs.length
  return {
    refused: mean('refused'),
    refusedFirst: mean('refusedFirst'),
    refusedRatio: mean('refusedRatio'),
    jain: mean('jain'),
    used: mean('used'),
    usedFirst: mean('usedFirst'),
  }
}

/** Prints the line of each contestant; whether ours holds its bars. */
function compared(each: Case): boolean {
  const reference = ran(each, backoff)
  const lines = { backoff: reference, atb: ran(each, atb), avocet: ran(each, avocet(MOST_RPS)) }
  const { refused, jain: fair, used } = lines.avocet
  const isHeld = refused <= MOST_OF_BACKOFF * reference.refused && fair >= LEAST_JAIN && used >= LEAST_USED
  for (const [contestant, figure] of Object.entries(lines)) {
    const words = [
      each.name.padEnd(24),
      `${each.rps}/s`.padStart(4),
      `n ${each.crawls}`.padEnd(5),
      contestant.padEnd(7),
      `429 a crawl ${(figure.refused / each.crawls).toFixed(0).padStart(5)} = ${percent(figure.refusedRatio)}`,
      `of backoff's ${percent(figure.refused / reference.refused)}`,
      `Jain ${figure.jain.toFixed(3)}`,
      `used ${figure.used.toFixed(3)}`,
      `first ten minutes: 429 ${figure.refusedFirst.toFixed(0).padStart(5)}, used ${figure.usedFirst.toFixed(3)}`,
    ]
    console.log([...words, ...(contestant === 'avocet' ? [isHeld ? 'bars met' : 'bars missed'] : [])].join('  '))
  }
  return isHeld
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(2).padStart(6)} %`
}

function numbers(text: string): readonly number[] {
  return text.split(',').map(Number)
}

const cases = Object.keys(QUOTAS)
  .filter((name) => name.startsWith(values.quota))
  .flatMap((name) => numbers(values.rps).flatMap((rps) => numbers(values.crawls).map((crawls) => ({ name, rps, crawls }))))
const held = cases.filter((each) => compared(each)).length
console.log(`${held} of ${cases.length} meet their bars`)
if (held < cases.length) process.exitCode = 1
