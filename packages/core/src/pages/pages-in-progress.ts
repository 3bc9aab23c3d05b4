// Which pages are being worked on, told to the store in case one of them kills the process.
//
// A page is in progress from the moment its own work begins: while it waits for its turn of the event loop, it can kill nothing, and a `kill` from outside
// must not accuse it. One that was in progress when two runs died (`suspected`) is handled alone, so that the next death says whether it was this page; the
// others wait, in the order in which they came. How many can wait is bounded by `maxHandlers`. Where the store has to
// be told before a page may kill anything, the work waits until it knows. That a page has ended the store learns with the next one that begins: until then
// a death accuses it, which makes it suspected at worst. Of a suspected one it learns at once, for one death more sets it aside.
import type { Frontier } from '../ports/frontier.ts'
import type { Leased } from '../ports/request.ts'

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
  readonly #frontier: Pick<Frontier, 'inProgress'>

  constructor(frontier: Pick<Frontier, 'inProgress'>) {
    this.#frontier = frontier
  }

  /** Resolves when the page of a request may be handled; undefined: it may now. `over` ends its turn. */
  enter({ id, suspected }: Pick<Leased, 'id' | 'suspected'>): Promise<void> | undefined {
    const isSuspected = suspected === true
    if (this.#waiting.length === 0 && this.#mayEnter(isSuspected)) return this.#enter(id, isSuspected)
    return new Promise((enter) => this.#waiting.push({ id, isSuspected, enter }))
  }

  /** The work on it begins, once this resolves; undefined: at once. Harmless when it has. A store that cannot be told has a suspicion less. */
  begin(id: number): Promise<void> | undefined {
    if (this.#begun.has(id)) return undefined
    this.#begun.add(id)
    return this.#tellStore()
  }

  over(id: number): void {
    this.#entered.delete(id)
    if (this.#begun.delete(id) && this.#isAlone) void this.#tellStore()
    for (let next = this.#waiting[0]; next && this.#mayEnter(next.isSuspected); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#enter(next.id, next.isSuspected)
      next.enter()
    }
  }

  #mayEnter(isSuspected: boolean): boolean {
    return this.#entered.size === 0 || !(this.#isAlone || isSuspected)
  }

  #enter(id: number, isSuspected: boolean): undefined {
    this.#entered.add(id)
    this.#isAlone = isSuspected
  }

  #tellStore(): Promise<void> | undefined {
    try {
      return this.#frontier.inProgress([...this.#begun])?.catch(() => undefined)
    } catch {
      return undefined
    }
  }
}
