// Which pages are being worked on, told to the store in case one of them kills the process.
//
// A page is in progress from the moment its own work begins: while it waits for its turn of the event loop, it can kill nothing, and a `kill` from outside
// must not accuse it. One that was in progress when two runs died (`suspected`) is handled alone, so that the next death says whether it was this page; the
// others wait, in the order in which they came. How many can wait is bounded by `maxHandlers`.
import { messageOf } from '../errors.ts'
import type { Leased } from '../request.ts'
import type { Run } from '../run/run.ts'

interface Waiting {
  readonly id: number
  readonly isSuspected: boolean
  readonly enter: () => void
}

/** The pages in progress of a run. */
export class PagesInProgress {
  /** With a turn, begun or not. */
  readonly #entered = new Set<number>()
  readonly #begun = new Set<number>()
  readonly #waiting: Waiting[] = []
  /** The one that has its turn is handled alone. */
  #isAlone = false
  readonly #run: Run
  #isClosed = false

  constructor(run: Run) {
    this.#run = run
  }

  /** Resolves when the page of a request may be handled; undefined: it may now. `over` ends its turn. */
  enter({ id, suspected }: Pick<Leased, 'id' | 'suspected'>): Promise<void> | undefined {
    const isSuspected = suspected === true
    if (this.#waiting.length === 0 && this.#mayEnter(isSuspected)) return this.#enter(id, isSuspected)
    return new Promise((enter) => this.#waiting.push({ id, isSuspected, enter }))
  }

  /** The work on it begins. Harmless when it has. */
  begin(id: number): void {
    if (this.#begun.has(id)) return
    this.#begun.add(id)
    this.#tellStore()
  }

  over(id: number): void {
    this.#entered.delete(id)
    if (this.#begun.delete(id)) this.#tellStore()
    for (let next = this.#waiting[0]; next && this.#mayEnter(next.isSuspected); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#enter(next.id, next.isSuspected)
      next.enter()
    }
  }

  /** The store does not learn of pages any more. */
  close(): void {
    this.#isClosed = true
  }

  #mayEnter(isSuspected: boolean): boolean {
    return this.#entered.size === 0 || !(this.#isAlone || isSuspected)
  }

  #enter(id: number, isSuspected: boolean): undefined {
    this.#entered.add(id)
    this.#isAlone = isSuspected
  }

  /** What is lost when it fails is a suspicion. */
  #tellStore(): void {
    if (this.#isClosed) return
    try {
      this.#run.settings.frontier.inProgress([...this.#begun])
    } catch (error) {
      this.#run.tally.problem(`cannot record which pages are in progress: ${messageOf(error)}`)
    }
  }
}
