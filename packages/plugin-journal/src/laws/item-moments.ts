// Within which moments an item was stored, worked out from its number and from how many items were stored in each stretch of time.
//
// Numbers ascend as items are stored, so item 1,000 was stored in the stretch in which the sum reached 1,000. Stretches of several processes overlap: by the
// end of one, all of those that have ended are stored for certain, and nothing of those that have not begun. What a process did not write down before it was
// killed is missing somewhere, so an item may have been stored earlier by so many. Hence two bounds, and no guess between them.
import { binOf } from './rate-bin.ts'
import { TIERS, type SeriesAtRest } from './rate-series.ts'

/** Items that were stored between two moments, epoch ms. */
export interface CountedStretch {
  readonly from: number
  readonly to: number
  readonly items: number
}

/** Epoch ms. */
export interface StoredWithin {
  readonly from: number
  readonly to: number
}

/** What is known beside the stretches. */
export interface NumberedItems {
  /** Number of the newest item. */
  readonly last: number
  /** When the crawl began, and now: epoch ms. */
  readonly since: number
  readonly until: number
}

/** Stretches that do not overlap, each as short as the series has it: what is out of reach of one tier is taken from the next. */
export function countedStretches(series: SeriesAtRest): readonly CountedStretch[] {
  const all: CountedStretch[] = []
  let begins = Infinity
  series.forEach((bins, tier) => {
    const widthMs = TIERS[tier]?.widthMs ?? 1
    const finer = all.filter(({ from }) => from < begins + widthMs)
    const own = bins.map(({ place, text }) => ({ from: place * widthMs, items: binOf(place, text).items }))
    for (const { from, items } of own) {
      if (from >= begins) continue
      const to = from + widthMs
      // The end of it is there more finely.
      const known = finer.filter((bin) => bin.from >= begins && bin.from < to).reduce((sum, bin) => sum + bin.items, 0)
      all.push({ from, to: Math.min(to, begins), items: Math.max(0, items - known) })
    }
    begins = own.reduce((least, { from }) => Math.min(least, from), begins)
  })
  return all
}

/** Nothing is known of what was stored before the first stretch if that begins so much later than the crawl. */
const BEGINS_LATE_MS = 86_400_000

/** Of each number, within which moments its item was stored. Undefined where no stretch has an item. */
export function momentsOfNumbers(
  stretches: readonly CountedStretch[],
  { last, since, until }: NumberedItems,
  numbers: readonly number[],
): readonly (StoredWithin | undefined)[] {
  const counted = stretches.filter(({ items }) => items > 0)
  const ended = sums(counted.toSorted((a, b) => a.to - b.to))
  const begun = sums(counted.toSorted((a, b) => a.from - b.from))
  const [first] = begun
  const difference = last - (ended.at(-1)?.sum ?? 0)
  if (first === undefined) return numbers.map(() => undefined)
  // A history that began later than the crawl, or that has dropped its beginning, lacks the oldest items; any other lacks some that may be anywhere.
  const isLate = first.from > since + BEGINS_LATE_MS
  const before = isLate ? Math.max(0, difference) : 0
  const missing = isLate ? 0 : Math.max(0, difference)
  // Some were counted that were there already.
  const twice = Math.max(0, -difference)
  return numbers.map((number) => {
    const from = number <= before ? since : reaching(begun, number - before - missing)?.from
    const to = number <= before ? first.from : reaching(ended, number - before + twice)?.to
    return { from: Math.min(from ?? until, until), to: Math.min(to ?? until, until) }
  })
}

interface SummedStretch extends CountedStretch {
  /** Items of this one and of all before it. */
  readonly sum: number
}

function sums(stretches: readonly CountedStretch[]): readonly SummedStretch[] {
  let sum = 0
  return stretches.map((stretch) => ({ ...stretch, sum: (sum += stretch.items) }))
}

/** The first one with a sum of so many: sums ascend. */
function reaching(all: readonly SummedStretch[], items: number): SummedStretch | undefined {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((all[middle]?.sum ?? Infinity) >= items) high = middle
    else low = middle + 1
  }
  return all[low]
}
