// What one body holds of the byte budget, from its first chunk to the moment at which it is handed over, and its waiting for room.
import type { Clock } from '@avocet/core/store'
import type { ByteBudget } from './byte-budget.ts'

/** Longest wait in ms before the largest body that waits is refused: servers give up a client that does not read after 30 s and more. */
const LONGEST_WAIT_MS = 20_000

/** Is called with what happens to it. */
export interface ShareListener {
  /** It waited for so many ms, and continues. */
  waited(ms: number): void
  /** There is no room for it. `forGood`: not even if it were alone. To be answered by `release`. */
  refused(forGood: boolean): void
}

/** The share of one body. */
export class BodyShare {
  readonly #budget: ByteBudget
  readonly #clock: Clock
  readonly #listener: ShareListener
  #heldBytes = 0
  #goOn: (() => void) | undefined
  /** `clock.monotonic()`. */
  #since = 0

  constructor(budget: ByteBudget, clock: Clock, listener: ShareListener) {
    this.#budget = budget
    this.#clock = clock
    this.#listener = listener
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  get isWaiting(): boolean {
    return this.#goOn !== undefined
  }

  /** `clock.monotonic()` at which it has waited for too long; Infinity while it does not wait. */
  get dueAt(): number {
    return this.#goOn === undefined ? Infinity : this.#since + LONGEST_WAIT_MS
  }

  get hasRoom(): boolean {
    return this.#budget.hasRoom(this.#heldBytes)
  }

  /** Whether so many bytes more would leave it room to continue. */
  hasRoomFor(bytes: number): boolean {
    return this.#budget.hasRoom(this.#heldBytes + bytes)
  }

  acquire(bytes: number): void {
    this.#heldBytes += bytes
    this.#budget.acquire(bytes)
  }

  /** Lets go of a part; without `bytes` of all, and then it waits no more. */
  release(bytes: number = this.#heldBytes): void {
    this.#heldBytes -= bytes
    if (this.#heldBytes === 0) this.#leave()
    if (bytes > 0) this.#budget.release(bytes)
  }

  /** Calls `goOn` when there is room: in this call if there is now. Otherwise the listener is called. */
  whenRoom(goOn: () => void): void {
    if (this.isWaiting) return
    if (this.hasRoom) return goOn()
    if (!this.#budget.couldHold(this.#heldBytes)) return this.#listener.refused(true)
    this.#goOn = goOn
    this.#since = this.#clock.monotonic()
    this.#budget.wait(this)
  }

  /** It has waited for too long: the largest of those that wait makes room. */
  overdue(): void {
    this.#budget.refuseLargest()
  }

  /** It continues whether there is room or not, because it has ended. */
  waitNoMore(): void {
    if (this.#leave()) this.#listener.waited(this.#clock.monotonic() - this.#since)
  }

  goOn(): void {
    const goOn = this.#goOn
    this.#goOn = undefined
    this.#listener.waited(this.#clock.monotonic() - this.#since)
    goOn?.()
  }

  refuse(): void {
    this.#goOn = undefined
    this.#listener.refused(false)
  }

  /** Whether it waited. */
  #leave(): boolean {
    if (this.#goOn === undefined) return false
    this.#goOn = undefined
    this.#budget.leave(this)
    return true
  }
}
