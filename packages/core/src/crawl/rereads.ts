// Which pages are being read again for links beyond a budget, how often each was in this run, and how often in vain.

import { ANY_BUDGET } from '../traps/budgets.ts'

/** Of one page in one run. What still waits then is left to the next run. */
const MOST_READS = 100
/** Pages whose readings are counted; those not read for longest are forgotten. */
const MAX_PAGES = 100_000

/** Counts them. */
export class Rereads {
  /** Ids of pages by the name of the budget that they are read for. */
  readonly #reading = new Map<string, Set<number>>()
  /** Pages that wait for several budgets, read when none of those had room: they rest until whatever has room is tried. */
  readonly #resting = new Set<number>()
  readonly #counts = new Map<number, { reads: number; troubles: number }>()

  /** Whether a page of `budget` is on its way. */
  isReading(budget: string): boolean {
    return this.#reading.has(budget)
  }

  /** Whether a page that met trouble `troubles` times at most, and was not read too often, may be read once more. */
  mayRead(id: number, troubles: number): boolean {
    const count = this.#counts.get(id)
    if (this.#resting.has(id)) return false
    return count === undefined || (count.troubles <= troubles && count.reads < MOST_READS)
  }

  began(budget: string, id: number): void {
    const ids = this.#reading.get(budget) ?? new Set()
    this.#reading.set(budget, ids.add(id))
    const count = this.#counts.get(id) ?? { reads: 0, troubles: 0 }
    this.#counts.delete(id)
    this.#counts.set(id, { ...count, reads: count.reads + 1 })
    if (this.#counts.size <= MAX_PAGES) return
    for (const oldest of this.#counts.keys()) return void this.#counts.delete(oldest)
  }

  /** It was not there, or its handler threw. */
  troubled(id: number): void {
    const { reads = 1, troubles = 0 } = this.#counts.get(id) ?? {}
    this.#counts.set(id, { reads, troubles: troubles + 1 })
  }

  /** It is settled; `waits`: some of its links still wait; `isVain`: and none was taken in. */
  ended(budget: string, { id, waits, isVain }: { readonly id: number; readonly waits: boolean; readonly isVain: boolean }): void {
    if (!waits) this.#counts.delete(id)
    if (isVain && budget === ANY_BUDGET && this.#resting.size < MAX_PAGES) this.#resting.add(id)
    const ids = this.#reading.get(budget)
    ids?.delete(id)
    if (ids?.size === 0) this.#reading.delete(budget)
  }

  /** Nothing of this process is on its way, and whatever has room is tried. */
  tryAll(): void {
    this.#reading.clear()
    this.#resting.clear()
  }
}
