// How much of all bodies is read in one turn of the event loop: a hundred servers that send as fast as they can would fill it.
//
// libuv reads up to 2 MiB of each socket that has something before it looks at timers again. Parsing and keeping that takes 1 ms a MiB, so a hundred
// floods stop the loop for 200 ms each turn, and every other answer waits behind them. A body that has read when the turn has had enough stops until a
// next one; the socket's own buffer slows the server down. Bodies of usual size come with one chunk or two, and never meet it.
import { nextTurn } from '@avocet/core/store'

/** Some 10 ms. */
const MOST_A_TURN_BYTES = 4 * 2 ** 20

/** Shares out what is read. */
export class ReadTurns {
  #leftBytes = MOST_A_TURN_BYTES
  #isSpent = false
  #waiting: (() => void)[] = []

  /** So many bytes were read; whether this turn has room for more. */
  read(bytes: number): boolean {
    this.#leftBytes -= bytes
    if (!this.#isSpent) {
      this.#isSpent = true
      void nextTurn().then(() => this.#refill())
    }
    return this.#leftBytes > 0
  }

  /** Calls `goOn` in a turn that has room, in the order of asking; ask where `read` said no. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn)
  }

  #refill(): void {
    this.#isSpent = false
    this.#leftBytes = MOST_A_TURN_BYTES
    const waiting = this.#waiting
    this.#waiting = []
    let next = 0
    // A body that continues may read at once what has arrived meanwhile.
    for (; next < waiting.length && this.#leftBytes > 0; next++) waiting[next]?.()
    if (next === waiting.length) return
    this.#waiting = [...waiting.slice(next), ...this.#waiting]
    this.read(0)
  }
}
