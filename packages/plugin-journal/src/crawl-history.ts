// The history of a crawl as readers draw it: from what its processes keep, in as many steps as a chart has room for.
import { historiesIn, type KeptTexts } from './crawl-recorder.ts'
import { countedStretches, momentsOfNumbers, type NumberedItems, type StoredWithin } from './laws/item-moments.ts'
import { type Latency, withinMs } from './laws/latency.ts'
import { addBin, binOf, emptyBin, type FailureGroup, latencyOfBin, type RateBin } from './laws/rate-bin.ts'
import { type SeriesAtRest, TIERS } from './laws/rate-series.ts'

/** What is to be read. */
export interface HistoryQuery {
  /** Epoch ms. Absent: from the beginning, to the end. */
  readonly from?: number
  readonly to?: number
  /** Steps, at most; 2 or more. @defaultValue 400 */
  readonly points?: number
}

/** A step in which something happened. */
export interface HistoryStep {
  /** Epoch ms. */
  readonly at: number
  /** Exchanges that ended, refusals (429, 503) and failures among them. */
  readonly requests: number
  readonly pages: number
  readonly items: number
  /** Requests that are tried again. */
  readonly retries: number
  readonly refusals: number
  /** Exchanges without an answer, and the same by group. */
  readonly failures: number
  readonly failuresBy: Readonly<Record<FailureGroup, number>>
  /** Of bodies on the wire, to the KiB. */
  readonly wireBytes: number
  /** Slots that were taken, on average over the step. */
  readonly inFlight: number
  /** Times to the first byte. */
  readonly firstByte: Latency
  /** Of these: half, nine in ten, 99 in 100 were shorter, ms; null when there was no answer. */
  readonly quantiles: { readonly p50Ms: number; readonly p90Ms: number; readonly p99Ms: number } | null
}

/** Steps of one width, oldest first. What is missing is a rest: nothing happened. */
export interface CrawlHistory {
  /** Of a step, ms; 0 when there is none. */
  readonly widthMs: number
  readonly steps: readonly HistoryStep[]
}

const DEFAULT_POINTS = 400

/**
 * What a crawl did over time, all processes together, from what they left in its store (`atRest(reader)`). Steps of the finest
 * width that reaches back to `from`; at most `points` of them. None where the journal was not part of the crawl.
 *
 * @example
 * ```ts
 * const { widthMs, steps } = crawlHistory(await atRest(frontier.reader), { points: 200 })
 * ```
 */
export function crawlHistory(crawl: KeptTexts, query: HistoryQuery = {}): CrawlHistory {
  const series = historiesIn(crawl)
  const [first, last] = reachOf(series)
  const [from, to] = [Math.max(query.from ?? first, first), Math.min(query.to ?? last, last)]
  if (series.length === 0 || from >= to) return { widthMs: 0, steps: [] }
  const tier = tierFor(series, from)
  const finestMs = TIERS[tier]?.widthMs ?? 1
  const { points = DEFAULT_POINTS } = query
  const widthMs = widthFor({ from, to, finestMs, points })
  return { widthMs, steps: stepsOf(series, { tier, widthMs, from, to }) }
}

interface Cut {
  readonly tier: number
  readonly widthMs: number
  readonly from: number
  readonly to: number
}

function stepsOf(all: readonly SeriesAtRest[], { tier, widthMs, from, to }: Cut): readonly HistoryStep[] {
  const binMs = TIERS[tier]?.widthMs ?? 1
  const sums = new Map<number, RateBin>()
  for (const series of all) {
    for (const { place, text } of series[tier] ?? []) {
      const at = place * binMs
      if (at + binMs <= from || at >= to) continue
      const step = Math.floor(at / widthMs)
      const sum = sums.get(step) ?? emptyBin(step)
      addBin(sum, binOf(step, text))
      sums.set(step, sum)
    }
  }
  return [...sums.values()].toSorted((a, b) => a.place - b.place).map((bin) => stepOf(bin, widthMs))
}

function stepOf(bin: RateBin, widthMs: number): HistoryStep {
  const { requests, pages, items, retries, refusals, failures: failuresBy, wireBytes, busyMs } = bin
  const firstByte = latencyOfBin(bin)
  const [p50Ms, p90Ms, p99Ms] = [0.5, 0.9, 0.99].map((share) => withinMs(firstByte, share))
  return {
    at: bin.place * widthMs,
    ...{ requests, pages, items, retries, refusals, failuresBy, wireBytes, firstByte },
    failures: Object.values(failuresBy).reduce((sum, count) => sum + count, 0),
    inFlight: busyMs / widthMs,
    quantiles: p50Ms === undefined || p90Ms === undefined || p99Ms === undefined ? null : { p50Ms, p90Ms, p99Ms },
  }
}

/**
 * The finest tier that is whole since `from`: no coarser one has a bin that was over before it begins. What one tier has dropped the next one has for five
 * times as long.
 */
function tierFor(all: readonly SeriesAtRest[], from: number): number {
  return TIERS.findIndex((_, tier) => all.every((series) => isWhole(series, tier, from)))
}

function isWhole(series: SeriesAtRest, tier: number, from: number): boolean {
  const begins = least(series[tier] ?? [], (place) => place * (TIERS[tier]?.widthMs ?? 1))
  return (
    begins <= from ||
    TIERS.every(({ widthMs }, other) => {
      const endOf = (place: number): number => (place + 1) * widthMs
      return other <= tier || least(series[other] ?? [], (place) => (endOf(place) > from ? endOf(place) : Infinity)) > begins
    })
  )
}

/** From the first bin to the end of the last, as finely as that is known. */
function reachOf(all: readonly SeriesAtRest[]): readonly [first: number, last: number] {
  let [first, last] = [Infinity, -Infinity]
  for (const series of all) {
    const tier = tierFor([series], -Infinity)
    for (const { place } of series[tier] ?? []) {
      const { widthMs } = TIERS[tier] ?? { widthMs: 1 }
      first = Math.min(first, place * widthMs)
      last = Math.max(last, (place + 1) * widthMs)
    }
  }
  return [first, last]
}

function least(bins: SeriesAtRest[number], of: (place: number) => number): number {
  return bins.reduce((smallest, { place }) => Math.min(smallest, of(place)), Infinity)
}

/** What is drawn. */
interface Drawn {
  /** Epoch ms. */
  readonly from: number
  readonly to: number
  /** Of what is known, ms. */
  readonly finestMs: number
  /** Steps, at most; 2 or more. */
  readonly points: number
}

/**
 * A multiple of `finestMs`. A step begins at a multiple of its width, whatever `from` is, or a chart that moves on would change its shape: one step more than
 * fit may be touched.
 */
export function widthFor({ from, to, finestMs, points }: Drawn): number {
  const fitting = (steps: number): number => Math.ceil((to - from) / Math.max(1, steps) / finestMs) * finestMs
  const widthMs = fitting(points)
  return Math.ceil(to / widthMs) - Math.floor(from / widthMs) <= points ? widthMs : fitting(points - 1)
}

// When items were stored, as far as the history of the crawl tells: stores keep their numbers, and no moments.

/**
 * Of each of `numbers` (`ItemRecord.seq`), between which moments its item was stored, from what processes left in the store
 * (`atRest(reader)`): within ten seconds of the last hour of work, two hours of the last four weeks, a day of the last year. Wider where processes were
 * killed, by what they did not write down. Undefined where the history has no items.
 *
 * @example
 * ```ts
 * const [stored] = itemMoments(await atRest(frontier.reader), { last: 7, since: 0, until: Date.now() }, [7])
 * ```
 */
export function itemMoments(
  crawl: KeptTexts,
  known: NumberedItems,
  numbers: readonly number[],
): readonly (StoredWithin | undefined)[] {
  return momentsOfNumbers(historiesIn(crawl).flatMap(countedStretches), known, numbers)
}
