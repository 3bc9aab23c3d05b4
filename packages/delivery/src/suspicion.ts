// Finds the item that a sink cannot write, among batches that fail: pure, told of each batch what became of it.
//
// A batch that fails may have one item in it that can never be written, or the sink may be down; the error does not tell. So what fails three times is
// halved, and halved again with each failure. An item that fails alone is a suspect: it is left for later, and the next one is tried. Only if that passes is
// the sink known to work, and the suspect tried again. It is guilty when it has failed alone three times, and something passed between every two of them. While
// everything fails nobody is guilty: a sink that is down for a week loses no item. When it works again, what was only unlucky comes out of order by a few
// places. Alternative rejected: to count failures of an item alone, which sets whole batches aside while a server is restarted.
// What was learned is kept with the sink: a run that has time for five tries goes on where the last one was.
import type { SinkRecord } from '@avocet/core/store'

/** Failures of a batch before it is halved. */
const FAILURES_BEFORE_HALVING = 3
/** Failures alone that make an item guilty. */
const FAILURES_ALONE = 3
/** While nothing passes, more suspects tell nothing. */
const MAX_SUSPECTS = 8

interface Suspect {
  failures: number
  /** Something passed since it failed last. */
  passedSince: boolean
}

/** What was tried: `seq` of its first item, and how many there were. */
interface Tried {
  readonly seq: number
  readonly size: number
}

/** What is suspected at one sink. */
export class Suspicion {
  /** Items of the next batch, at most. */
  limit: number
  readonly #maxItems: number
  readonly #suspects = new Map<number, Suspect>()
  /** Batches that failed in a row and began with the same item: more may have come behind it meanwhile. */
  #failed: Pick<NonNullable<SinkRecord['search']>, 'seq' | 'times'>
  /** A suspect is tried next, before new items. */
  #suspectNext = false

  /** `maxItems` of a batch that nothing is suspected of. `before`: of an earlier run. */
  constructor(maxItems: number, { suspects = [], search }: Pick<SinkRecord, 'suspects' | 'search'> = {}) {
    this.#maxItems = maxItems
    this.limit = search?.limit ?? Infinity
    this.#failed = { seq: search?.seq ?? 0, times: search?.times ?? 0 }
    for (const { seq, failures } of suspects) this.#suspects.set(seq, { failures, passedSince: false })
    this.#suspectNext = suspects.length > 0
  }

  /** By `seq`. */
  get suspects(): NonNullable<SinkRecord['suspects']> {
    const all = [...this.#suspects].map(([seq, { failures }]) => ({ seq, failures }))
    return all.sort((a, b) => a.seq - b.seq)
  }

  /** For the next run; undefined while nothing fails. */
  get search(): SinkRecord['search'] {
    if (this.limit === Infinity) return this.#failed.times === 0 ? undefined : this.#failed
    return { limit: this.limit, ...this.#failed }
  }

  /** Whether anything failed that is not settled yet. */
  get isSearching(): boolean {
    return this.search !== undefined || this.#suspects.size > 0
  }

  /** Whether nothing more is suspected. */
  get isFull(): boolean {
    return this.#suspects.size >= MAX_SUSPECTS
  }

  /** How many of them are not behind item `seq`. */
  countUpTo(seq: number): number {
    return [...this.#suspects.keys()].filter((each) => each <= seq).length
  }

  isSuspect(seq: number): boolean {
    return this.#suspects.has(seq)
  }

  /** The suspect that is to be tried now, before anything else. `idle`: there is nothing else. */
  next({ idle }: { readonly idle: boolean }): number | undefined {
    const suspects = this.suspects
    const cleared = suspects.find(({ seq }) => this.#suspects.get(seq)?.passedSince === true)
    return (cleared ?? (this.#suspectNext || idle ? suspects[0] : undefined))?.seq
  }

  /** Items were written. */
  passed(): void {
    this.#failed = { seq: 0, times: 0 }
    this.#suspectNext = false
    this.limit = 2 * this.limit >= this.#maxItems ? Infinity : 2 * this.limit
    for (const suspect of this.#suspects.values()) suspect.passedSince = true
  }

  /** A batch of new items failed. `others`: there are items behind it. True: its only item is a suspect from now on, and left for later. */
  failed(tried: Tried, others: boolean): boolean {
    this.#failed = { seq: tried.seq, times: this.#failed.seq === tried.seq ? this.#failed.times + 1 : 1 }
    this.#suspectNext = this.#suspects.size > 0
    if (this.#failed.times < (this.limit === Infinity ? FAILURES_BEFORE_HALVING : 1)) return false
    const isFirst = this.limit === Infinity
    this.limit = Math.max(1, Math.ceil(Math.min(tried.size, this.#maxItems) / 2))
    if (isFirst || tried.size > 1 || !others || this.isFull) return false
    this.#suspects.set(tried.seq, { failures: 1, passedSince: false })
    // The one behind it comes first: it may show that the sink works.
    this.#suspectNext = false
    return true
  }

  /** A suspect failed again. True: it is guilty, and no suspect any more. */
  failedAgain(seq: number): boolean {
    const suspect = this.#suspects.get(seq)
    this.#suspectNext = false
    if (suspect === undefined) return false
    if (suspect.passedSince) suspect.failures++
    suspect.passedSince = false
    return suspect.failures >= FAILURES_ALONE && this.#suspects.delete(seq)
  }

  /** It was written, or set aside, or is gone. */
  acquit(seq: number): void {
    this.#suspects.delete(seq)
  }
}
