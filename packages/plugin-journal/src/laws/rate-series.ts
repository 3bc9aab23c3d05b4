// What one process did over time, at six resolutions: an hour in steps of 10 s, a year in steps of a day, and what is between.
//
// An exchange is noted in the open bin of the finest tier alone. A bin whose time is over is closed: it becomes a text, and is added to the open bin of the
// next tier. So every tier has all that happened within its reach, and noting costs the same however many tiers there are. A stretch in which nothing
// happened has no bin: a rest is a gap, not a zero. The reach is in bins, so a crawl that works an hour a day is remembered for longer.
import { addBin, binOf, binText, digitsOf, DigitReader, emptyBin, folded, unfolded, type RateBin } from './rate-bin.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A resolution: how long a bin is, and how many are kept. Each width is a multiple of the one before. */
export interface Tier {
  readonly widthMs: number
  readonly most: number
}

/** From a minute to a year there is one of which a chart needs 60 to 370 bins. */
export const TIERS: readonly Tier[] = [
  { widthMs: 10 * SECOND_MS, most: 360 },
  { widthMs: MINUTE_MS, most: 360 },
  { widthMs: 5 * MINUTE_MS, most: 290 },
  { widthMs: 30 * MINUTE_MS, most: 340 },
  { widthMs: 2 * HOUR_MS, most: 340 },
  { widthMs: DAY_MS, most: 370 },
]

/** A bin that is over: it is not read before somebody looks. */
export interface ClosedBin {
  readonly place: number
  readonly text: string
}

/** Closed bins of each tier, in the order in which they were closed. A place may be there twice: then both count. */
export type SeriesAtRest = readonly (readonly ClosedBin[])[]

/** What is late by no more belongs to the open bin: exchanges are noted at their end, but clocks are adjusted. */
const LATE_BINS = 6

/** A series that is being written. */
export class RateSeries {
  readonly #closed: ClosedBin[][] = TIERS.map(() => [])
  readonly #open: (RateBin | undefined)[] = TIERS.map(() => undefined)

  /** The bin of `at` (epoch ms), to add to. */
  at(at: number): RateBin {
    const place = Math.max(0, Math.floor(at / widthOf(0)))
    const open = this.#open[0]
    if (open !== undefined && place <= open.place && place >= open.place - LATE_BINS) return open
    if (open !== undefined) this.#close(0, open)
    return (this.#open[0] = emptyBin(place))
  }

  /** All of it, with the open bins as they are. */
  get atRest(): SeriesAtRest {
    return this.#closed.map((closed, tier) => [...closed, ...this.#openBins(tier)])
  }

  #close(tier: number, bin: RateBin): void {
    const closed = this.#closed[tier]
    if (closed === undefined) return
    closed.push({ place: bin.place, text: binText(bin) })
    if (closed.length > (TIERS[tier]?.most ?? 0)) closed.shift()
    this.#open[tier] = undefined
    if (tier + 1 >= TIERS.length) return
    const place = placeIn(tier + 1, bin.place * widthOf(tier))
    const open = this.#open[tier + 1]
    if (open !== undefined && open.place !== place) this.#close(tier + 1, open)
    addBin((this.#open[tier + 1] ??= emptyBin(place)), bin)
  }

  /** What is open in this tier, and what has not come up to it yet. */
  #openBins(tier: number): readonly ClosedBin[] {
    const bins = new Map<number, RateBin>()
    this.#open.slice(0, tier + 1).forEach((open, finer) => {
      if (open === undefined) return
      const place = placeIn(tier, open.place * widthOf(finer))
      const bin = bins.get(place) ?? emptyBin(place)
      addBin(bin, open)
      bins.set(place, bin)
    })
    return [...bins.values()].toSorted((a, b) => a.place - b.place).map((bin) => ({ place: bin.place, text: binText(bin) }))
  }
}

/** Several as one, without what is out of reach at `now` (epoch ms). */
export function joinedSeries(all: readonly SeriesAtRest[], now: number = Infinity): SeriesAtRest {
  return TIERS.map(({ widthMs, most }, tier) => {
    const texts = new Map<number, string[]>()
    for (const series of all) {
      for (const { place, text } of series[tier] ?? []) {
        const isInReach = now === Infinity || (place >= now / widthMs - most - 1 && place <= now / widthMs + 1)
        if (isInReach) texts.set(place, [...(texts.get(place) ?? []), text])
      }
    }
    const places = [...texts].toSorted(([a], [b]) => a - b).slice(-most)
    return places.map(([place, parts]) => ({ place, text: joinedText(place, parts) }))
  })
}

/** Before a bin that follows upon the last one, and before one that does not: there it says how far it is from the last one. */
const NEXT = ';'
const FURTHER = ','

/** As a text: tiers behind one another. */
export function seriesText(series: SeriesAtRest): string {
  return series.map(tierText).join(' ')
}

function tierText(bins: readonly ClosedBin[]): string {
  let last = 0
  let all = ''
  for (const { place, text } of bins) {
    // A clock that was put back makes a step backwards.
    all += place === last + 1 ? NEXT + text : FURTHER + digitsOf(folded(place - last)) + text
    last = place
  }
  return all
}

/** Reads it back. */
export function seriesOf(text: string): SeriesAtRest {
  const tiers = text.split(' ')
  return TIERS.map((_, tier) => {
    let last = 0
    return [...(tiers[tier] ?? '').matchAll(/([;,])([^;,]*)/g)].map(([, sign, bin = '']) => {
      const digits = new DigitReader(bin)
      last += sign === NEXT ? 1 : unfolded(digits.number())
      return { place: last, text: digits.rest }
    })
  })
}

function joinedText(place: number, texts: readonly string[]): string {
  const [only = '', ...others] = texts
  if (others.length === 0) return only
  const sum = binOf(place, only)
  for (const text of others) addBin(sum, binOf(place, text))
  return binText(sum)
}

function widthOf(tier: number): number {
  return TIERS[tier]?.widthMs ?? DAY_MS
}

function placeIn(tier: number, at: number): number {
  return Math.floor(at / widthOf(tier))
}
