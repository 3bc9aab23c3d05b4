// Ids of requests without gaps: the sequence of the server leaves some out, a dump none.
//
// Kept as runs of ids without a gap between them, so its size is that of the gaps, which come from URLs that two processes found at the same moment.
import type { Snapshot } from '../connection/queries.ts'

/** Rows that are looked at in one statement: half a second. */
const AT_ONCE = 1_000_000

const RUNS = `SELECT min(id) AS first, max(id) AS last FROM (
    SELECT id, id - row_number() OVER (ORDER BY id) AS shift FROM (SELECT id FROM {S}.request WHERE id > $1 ORDER BY id LIMIT $2) page) placed
  GROUP BY shift ORDER BY first`

/** Of one view of a store. */
export class DenseIds {
  readonly #firsts: number[] = []
  /** How many ids are missing before each. */
  readonly #missing: number[] = []
  #last = 0
  #count = 0

  static async read(view: Pick<Snapshot, 'all'>): Promise<DenseIds> {
    const ids = new DenseIds()
    for (;;) {
      const before = ids.#count
      for (const run of await view.all<{ readonly first: number; readonly last: number }>(RUNS, [ids.#last, AT_ONCE]))
        ids.#take(run)
      if (ids.#count - before < AT_ONCE) return ids
    }
  }

  /** The place of a request among all, from 1. */
  of(id: number): number {
    let [low, high] = [0, this.#firsts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#firsts[middle] ?? Infinity) <= id) low = middle
      else high = middle
    }
    return id - (this.#missing[low] ?? 0)
  }

  #take({ first, last }: { readonly first: number; readonly last: number }): void {
    const missing = first - 1 - this.#count
    if (this.#missing.at(-1) !== missing) {
      this.#firsts.push(first)
      this.#missing.push(missing)
    }
    this.#count += last - first + 1
    this.#last = last
  }
}
