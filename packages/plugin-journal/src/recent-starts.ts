// The last starts of every host that this run asked lately: in RAM, also of hosts that another process holds now, and bounded.
import { addStart, type Density, type Starts } from './laws/starts.ts'

/** Longer ago it matters to no window. */
const QUIET_MS = 240_000
/** Before so many hosts are known none is forgotten. */
const FEW = 1_000

/** What is remembered of starts that an earlier process saw. */
export interface EarlierStarts {
  /** Epoch ms; 0 = never. */
  readonly firstAt: number
  readonly lastAt: number
  /** In the minute up to the last. */
  readonly lately: number
}

const MINUTE_MS = 60_000

/** By host. A host that is given back and leased again is the same host. */
export class RecentStarts {
  readonly #hosts = new Map<string, Starts>()
  #forgetAbove = FEW

  /** One more start, epoch ms; `earlier` counts when this run has not asked the host before. */
  add(hostKey: string, at: number, earlier: EarlierStarts): Density {
    let starts = this.#hosts.get(hostKey)
    if (starts === undefined) {
      starts = spread(earlier)
      this.#hosts.set(hostKey, starts)
      if (this.#hosts.size > this.#forgetAbove) this.#forget(at)
    }
    return addStart(starts, at)
  }

  /** Looks at all of them only when there are twice as many as were left. */
  #forget(now: number): void {
    for (const [hostKey, starts] of this.#hosts) {
      const last = starts.at(-1)
      if (last !== undefined && last < now - QUIET_MS) this.#hosts.delete(hostKey)
    }
    this.#forgetAbove = Math.max(FEW, 2 * this.#hosts.size)
  }
}

/** When exactly they were is not known, only how many, and the last: evenly is the best guess, and no false gap. */
function spread({ firstAt, lastAt, lately }: EarlierStarts): Starts {
  const from = Math.max(firstAt, lastAt - MINUTE_MS)
  return Array.from({ length: lately }, (_, n) => lastAt - ((lastAt - from) * (lately - 1 - n)) / Math.max(1, lately))
}
