// Which pages are being read again for links beyond a budget, how often each was in this run, and how often in vain.

/** Of one page in one run. What still waits then is left to the next run. */
const MOST_READS = 100
/** Pages whose readings are counted; those not read for longest are forgotten. */
const MAX_PAGES = 100_000
/** After so many ms trouble is no reason any more. */
const FORGIVEN_AFTER_MS = 3_600_000

/** What became of one page. */
interface Count {
  readonly reads: number
  readonly troubles: number
  readonly troubledAt: number
  /** The most links that it had before that. */
  readonly of: number
}

const NEVER: Count = { reads: 0, troubles: 0, troubledAt: -Infinity, of: 0 }

/** Counts them. */
export class Rereads {
  /** Ids of pages by the name of the budget that they are read for. */
  readonly #reading = new Map<string, Set<number>>()
  /** The other way round. */
  readonly #readFor = new Map<number, string>()
  /** Pages that brought nothing when they were read. */
  readonly #resting = new Set<number>()
  /** Pages that met trouble, of which nothing is committed yet. */
  readonly #troubled = new Set<number>()
  readonly #counts = new Map<number, Count>()

  /** Whether a page of `budget` is being read again. */
  isReading(budget: string): boolean {
    return this.#reading.has(budget)
  }

  /** The budget that a page is being read again for; undefined: it is not, or another process opened it. */
  readFor(id: number): string | undefined {
    return this.#readFor.get(id)
  }

  /** Whether it brought nothing when it was read last, and nothing was gained since. */
  rests(id: number): boolean {
    return this.#resting.has(id)
  }

  /** Whether a page that met trouble `troubles` times at most, and was not read too often, may be read once more. */
  mayRead(id: number, troubles: number, now: number): boolean {
    const count = this.#of(id, now)
    return count.troubles <= troubles && count.reads < MOST_READS
  }

  began(budget: string, id: number, now: number): void {
    this.#reading.set(budget, (this.#reading.get(budget) ?? new Set()).add(id))
    this.#readFor.set(id, budget)
    const count = this.#of(id, now)
    this.#counts.delete(id)
    this.#counts.set(id, { ...count, reads: count.reads + 1 })
    if (this.#counts.size <= MAX_PAGES) return
    for (const oldest of this.#counts.keys()) return void this.#counts.delete(oldest)
  }

  /** The most links that it had before it lost them in this hour; 0 if it did not. */
  mostLinks(id: number, now: number): number {
    return this.#of(id, now).of
  }

  /** It was not there, its handler threw, or it had lost links, of `of`. */
  troubled(id: number, now: number, of = 0): void {
    this.#troubled.add(id)
    const count = this.#of(id, now)
    this.#counts.set(id, { ...count, troubles: count.troubles + 1, troubledAt: now, of: Math.max(of, count.of) })
  }

  /** It is settled; `waits`: some of its links still wait; `isVain`: and none was taken in. */
  ended(budget: string, { id, waits, isVain }: { readonly id: number; readonly waits: boolean; readonly isVain: boolean }): void {
    if (!waits) this.#counts.delete(id)
    if (!this.#troubled.delete(id) && isVain && this.#resting.size < MAX_PAGES) this.#resting.add(id)
    this.#readFor.delete(id)
    const ids = this.#reading.get(budget)
    ids?.delete(id)
    if (ids?.size === 0) this.#reading.delete(budget)
  }

  /** Nothing of this process is being read again. */
  noneReading(): void {
    this.#reading.clear()
    this.#readFor.clear()
    this.#troubled.clear()
  }

  /** Something was gained: who brought nothing may bring something now. */
  wake(): void {
    this.#resting.clear()
  }

  #of(id: number, now: number): Count {
    const count = this.#counts.get(id) ?? NEVER
    return now - count.troubledAt < FORGIVEN_AFTER_MS ? count : { ...NEVER, reads: count.reads }
  }
}
