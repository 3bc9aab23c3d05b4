// How much of all bodies is read in one turn of the event loop: a hundred servers that send as fast as they can would fill it.
//
// libuv reads up to 2 MiB of each socket that has something before it looks at timers again. Parsing and keeping that takes 1 ms a MiB, so a hundred
// floods stop the loop for 200 ms each turn, and every other answer waits behind them; a chunk takes 1 us, however small it is. A body that has read when
// the turn has had enough stops until a next one; the socket's own buffer slows the server down. Bodies of usual size come with one chunk or two, and never
// meet it.
import { nextTurn, type Clock } from '@avocet/core/store'

/** Some 10 ms. */
const MOST_A_TURN_BYTES = 4 * 2 ** 20
/** What a chunk costs, whatever its size: a body may come in chunks of a byte. */
const CHUNK_BYTES = 2 ** 10

/** Shares out what is read. */
export class ReadTurns {
  readonly #clock: Clock
  /** `clock.monotonic()` of the first chunk of this turn: to ask for each of a million chunks took a tenth of the CPU. */
  #now = 0
  #leftBytes = MOST_A_TURN_BYTES
  #isSpent = false
  #waiting: (() => void)[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `clock.monotonic()`, as this turn began to read. */
  get now(): number {
    return this.#isSpent ? this.#now : this.#clock.monotonic()
  }

  /** A chunk of so many bytes was read; whether this turn has room for more. */
  read(bytes: number): boolean {
    this.#leftBytes -= bytes + CHUNK_BYTES
    if (!this.#isSpent) {
      this.#isSpent = true
      this.#now = this.#clock.monotonic()
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
