// The last starts of every host that this run asked lately: in RAM, whoever holds the host now, and bounded.
import { addStart, type Density, type Starts } from './laws/starts.ts'

/** Longer ago it matters to no window. */
const QUIET_MS = 240_000
/** Before so many hosts are known none is forgotten. */
const FEW = 1_000

/** By host. A host that is given back and leased again is the same host. */
export class RecentStarts {
  readonly #hosts = new Map<string, Starts>()
  #forgetAbove = FEW

  /** One more start, epoch ms. */
  add(hostKey: string, at: number): Density {
    let starts = this.#hosts.get(hostKey)
    if (starts === undefined) {
      starts = []
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
