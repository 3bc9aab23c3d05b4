// How much work of pages one turn of the event loop takes on, over all of them together.
//
// A page that is small enough is handled in the tick of its answer, and a group of units is committed in one go; but a hundred of them may come with one
// turn of the loop, and each may be as expensive as its size allows. So what they cost is counted, as the worst that was measured, and what finds no room
// waits for the next turn, in order. What is too expensive for any turn has one to itself: code with such work cuts it into steps, and asks for each.
import { nextTick, nextTurn, type Clock } from '../ports/clock.ts'

/** What things cost, in bytes of a page: 1 KiB of the worst markup takes some 100 µs to decode, scan and resolve. */
export const COST: {
  readonly required: number
  readonly row: number
  readonly link: number
  readonly yielded: number
  readonly step: number
} = {
  /** A byte of a document that a plugin requires: 500 KiB of robots.txt take 60 ms to read and to keep. */
  required: 1,
  /** A new row of the store: 15 µs. */
  row: 256,
  /** A link that is resolved, checked and fingerprinted: 5 µs, of the most expensive hosts 40. */
  link: 256,
  /** A piece that a handler yields. */
  yielded: 128,
  /** A step of a page that is read in steps: 10 ms at worst: one is all that a turn has room for. */
  step: 320 * 2 ** 10,
}

/**
 * Some 50 ms at worst: with less, pages that come together wait for each other, and the collector copies what waits. Answers come in one phase of the loop,
 * those who wait in another, so the time between two timers may be twice that.
 */
export const MOST_A_TURN: number = 512 * 2 ** 10

/** Shares out the turns of the event loop. */
export class LoopBudget {
  readonly #clock: Pick<Clock, 'hold'>
  #left = MOST_A_TURN
  #isSpent = false
  readonly #waiting: { readonly cost: number; readonly goOn: () => void }[] = []

  constructor(clock: Pick<Clock, 'hold'>) {
    this.#clock = clock
  }

  /** Whether this turn of the loop has room for so much work, which is then to be done in this tick. */
  take(cost: number): boolean {
    if (this.#waiting.length > 0 || !this.#fits(cost)) return false
    this.#spend(cost)
    return true
  }

  /** Resolves in a turn that has room, in the order of asking. Time stands still meanwhile. */
  room(cost: number): Promise<void> {
    if (this.take(cost)) return Promise.resolve()
    const hold = this.#clock.hold('a turn of the event loop')
    return new Promise((resolve) => {
      this.#waiting.push({
        cost,
        goOn() {
          hold[Symbol.dispose]()
          resolve()
        },
      })
    })
  }

  /** Begins `work` in a turn that has room for it: in this tick, if this one has. */
  whenRoom<Result>(cost: number, work: () => Promise<Result>): Promise<Result> {
    return this.take(cost) ? work() : this.room(cost).then(work)
  }

  /** What is too much for any turn has one to itself. */
  #fits(cost: number): boolean {
    return this.#left === MOST_A_TURN || cost <= this.#left
  }

  #spend(cost: number): void {
    this.#left -= cost
    if (this.#isSpent) return
    this.#isSpent = true
    void nextTurn().then(() => this.#refill())
  }

  #refill(): void {
    this.#isSpent = false
    this.#left = MOST_A_TURN
    void this.#goOn()
  }

  /** One after the other: a page is handled and forgotten before the next is begun. */
  async #goOn(): Promise<void> {
    for (let [next] = this.#waiting; next !== undefined && this.#fits(next.cost); [next] = this.#waiting) {
      this.#waiting.shift()
      this.#spend(next.cost)
      next.goOn()
      await nextTick()
    }
  }
}
