// Which pages are being worked on, told to the store in case one of them kills the process; and which handlers still run that overran their time.
//
// A page is in progress from the moment its own work begins: while it waits for its turn of the event loop, it can kill nothing, and a `kill` from outside
// must not accuse it. One that was in progress when two runs died (`suspected`) is handled alone, so that the next death says whether it was this page; the
// others wait, in the order in which they came. How many can wait is bounded by `maxHandlers`. Where the store has to
// be told before a page may kill anything, the work waits until it knows.
import { messageOf } from '../values/errors.ts'
import type { Leased } from '../ports/request.ts'
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

  /** The work on it begins, once this resolves; undefined: at once. Harmless when it has. */
  begin(id: number): Promise<void> | undefined {
    if (this.#begun.has(id)) return undefined
    this.#begun.add(id)
    return this.#tellStore()
  }

  over(id: number): void {
    this.#entered.delete(id)
    if (this.#begun.delete(id)) void this.#tellStore()
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
  #tellStore(): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    try {
      return this.#run.settings.frontier.inProgress([...this.#begun])?.catch((error: unknown) => this.#notTold(error))
    } catch (error) {
      this.#notTold(error)
      return undefined
    }
  }

  #notTold(error: unknown): void {
    this.#run.tally.problem(`cannot record which pages are in progress: ${messageOf(error)}`)
  }
}

// Handlers, and `onItem` of plugins, that overran their time and still run: their page has failed, but they hold it in RAM until they really end.
//
// So they count against what handlers may hold. Nothing in the process can end a promise, and one that never ends must not stop the crawl:
// at most half of that is theirs. Beyond it the one that has been late for longest is no longer counted, and the report says so.

/** What they may hold, as a share of what all may. */
const SHARE = 0.5

/** What all handlers may hold. The bytes of each are acquired; they are released when it is counted no more. */
export interface Allowance {
  readonly handlers: number
  readonly bytes: number
  release(bytes: number): void
}

/** Those that are late. */
export class LateHandlers {
  /** Bytes of their pages, the latest last. */
  readonly #late = new Set<{ readonly bytes: number }>()
  readonly #allowance: Allowance
  readonly #problem: (message: string) => void
  #bytes = 0

  constructor(allowance: Allowance, problem: (message: string) => void) {
    this.#allowance = allowance
    this.#problem = problem
  }

  get count(): number {
    return this.#late.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** One more, which has acquired `bytes`, until `end` settles; `ended` is called then. */
  add(bytes: number, end: PromiseLike<unknown>, ended: () => void): void {
    const one = { bytes }
    this.#late.add(one)
    this.#bytes += bytes
    const over = (): void => {
      this.#forget(one)
      ended()
    }
    end.then(over, over)
    for (const oldest of this.#late) {
      if (this.#late.size <= Math.floor(SHARE * this.#allowance.handlers) && this.#bytes <= SHARE * this.#allowance.bytes) break
      this.#forget(oldest)
      this.#problem('handlers that timed out are still running, and each keeps its page in memory; find what they wait for')
    }
  }

  #forget(one: { readonly bytes: number }): void {
    if (!this.#late.delete(one)) return
    this.#bytes -= one.bytes
    this.#allowance.release(one.bytes)
  }
}
