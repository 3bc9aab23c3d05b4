// What one host answered over the last three minutes, in slices of 7.5 s: a ring of counts, a few hundred bytes whatever happens.

/** Slices kept. Twelve pairs of them fit a narrow terminal, all of them a wide one. */
const SLICES = 24
const SLICE_MS = 7_500

/** One slice of time. */
export interface Slice {
  /** Answers that were no refusals. */
  readonly good: number
  /** Refusals (429, 503), and exchanges without an answer. */
  readonly bad: number
}

/** Counts of one host. */
export class AnswerHistory {
  readonly #good = new Uint16Array(SLICES)
  readonly #bad = new Uint16Array(SLICES)
  /** Number of the youngest slice that was written. */
  #newest = 0

  /** Counts one exchange that ended at `now` (epoch ms). */
  add(now: number, isGood: boolean): void {
    const slice = Math.max(Math.floor(now / SLICE_MS), this.#newest)
    for (let old = Math.max(this.#newest + 1, slice - SLICES + 1); old <= slice; old++) {
      this.#good[old % SLICES] = 0
      this.#bad[old % SLICES] = 0
    }
    this.#newest = slice
    const counts = isGood ? this.#good : this.#bad
    counts[slice % SLICES] = Math.min(65_535, (counts[slice % SLICES] ?? 0) + 1)
  }

  /** The last three minutes as of `now`, the oldest slice first. */
  slices(now: number): readonly Slice[] {
    const last = Math.floor(now / SLICE_MS)
    return Array.from({ length: SLICES }, (_, index) => ({
      good: this.#at(this.#good, last - SLICES + 1 + index),
      bad: this.#at(this.#bad, last - SLICES + 1 + index),
    }))
  }

  /** Sum over the last minute. */
  lastMinute(now: number, kind: keyof Slice): number {
    const counts = kind === 'good' ? this.#good : this.#bad
    const last = Math.floor(now / SLICE_MS)
    let sum = 0
    for (let slice = last - 60_000 / SLICE_MS + 1; slice <= last; slice++) sum += this.#at(counts, slice)
    return sum
  }

  #at(counts: Uint16Array, slice: number): number {
    return slice > this.#newest || slice <= this.#newest - SLICES || slice < 0 ? 0 : (counts[slice % SLICES] ?? 0)
  }
}
