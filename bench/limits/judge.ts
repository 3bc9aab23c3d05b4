// What came of a run: from what each host saw, second by second, to shares.
import type { LimitedHost, WorldName } from './worlds.ts'

/** What a host saw, second by second since the first request of all. */
export interface Seen {
  /** Pages whose answer was written in that second. */
  readonly good: readonly number[]
  readonly refused: readonly number[]
}

/** A run to be judged. */
export interface Run {
  readonly world: WorldName
  readonly hosts: readonly LimitedHost[]
  readonly seconds: number
  /** In the order of `hosts`. */
  readonly seen: readonly Seen[]
}

/** What is reported of a host. */
interface HostFigures extends LimitedHost {
  readonly good: number
  readonly refused: number
  /** Good pages to what the rate allows in the time. */
  readonly usefulShare: number
  readonly lateUsefulShare: number
}

/** What came of a run. Ratios in [0, 1] but for bursts. */
export interface Judgement {
  readonly world: WorldName
  readonly capacityRps: number
  readonly seconds: number
  readonly usefulShare: number
  readonly refusedRatio: number
  /** From second 20 on: without the cold start. */
  readonly lateUsefulShare: number
  readonly lateRefusedRatio: number
  readonly meanHostUsefulShare: number
  readonly worstRefused: number
  /** Useful share of each five seconds. */
  readonly usefulShareBy5s: readonly number[]
  readonly hosts: readonly HostFigures[]
}

const LATE_FROM = 20

/** Judges. */
export function judged(run: Run): Judgement {
  const { world, seconds, hosts } = run
  const capacityRps = sum(hosts.map(({ rps }) => rps))
  const within = (from: number, to: number): { share: number; refusedRatio: number } => {
    const good = sum(run.seen.map((one) => sum(one.good.slice(from, to))))
    const refused = sum(run.seen.map((one) => sum(one.refused.slice(from, to))))
    return { share: good / (capacityRps * (to - from)), refusedRatio: refused / (good + refused) }
  }
  const whole = within(0, seconds)
  const late = within(LATE_FROM, seconds)
  const figures = hosts.map((host, n) => hostFigures(host, run.seen[n] ?? { good: [], refused: [] }, seconds))
  return {
    world,
    capacityRps,
    seconds,
    usefulShare: whole.share,
    refusedRatio: whole.refusedRatio,
    lateUsefulShare: late.share,
    lateRefusedRatio: late.refusedRatio,
    meanHostUsefulShare: sum(figures.map(({ usefulShare }) => usefulShare)) / hosts.length,
    worstRefused: Math.max(...figures.map(({ refused }) => refused)),
    usefulShareBy5s: Array.from({ length: Math.floor(seconds / 5) }, (_, n) => within(5 * n, 5 * n + 5).share),
    hosts: figures,
  }
}

function hostFigures(host: LimitedHost, { good, refused }: Seen, seconds: number): HostFigures {
  const goodPages = sum(good.slice(0, seconds))
  return {
    ...host,
    good: goodPages,
    refused: sum(refused.slice(0, seconds)),
    usefulShare: goodPages / (host.rps * seconds),
    lateUsefulShare: sum(good.slice(LATE_FROM, seconds)) / (host.rps * (seconds - LATE_FROM)),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}
