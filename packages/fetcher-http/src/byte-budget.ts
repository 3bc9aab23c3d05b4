// One budget of bytes for all bodies of a crawl: those being read or decoded, and those of pages whose handlers run.
//
// Protocol. `acquire` when bytes are in RAM, `release` when they are not needed any more, however it ends; neither waits. What acquires releases:
// nothing is handed over. A body asks `hasRoom` after each growth and `wait`s without it, reading and decoding nothing until `goOn` or `refuse`.
//
// A body goes on while there is room for it twice more: for the copy that its pieces are joined into, then for its text of two bytes a character.
// So the larger a body the earlier it waits, n endless ones hold 1/(n + 2) of the budget each, and a page of usual size passes between them
// (dynamic thresholds: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998). As a hundred of them grow by
// 64 KiB at once after each was allowed to go on, large bodies wait as soon as an eighth is left: it is for small ones. Rejected: a fixed mark
// above which all wait, for then a few bodies that never end stop all others.
//
// Nothing waits for ever. What holds bytes and does not wait ends within limits of its own, and releases. When not even all of that would let the
// smallest waiting body go on, the largest is refused at once, and then the next; otherwise a body that has waited for too long has the largest refused.
// Waiting bodies are resumed in a microtask of their own: undici must not be resumed from inside one of its callbacks.
import { leaveBehind } from './large-garbage.ts'

/** The rest is left for memory that is free and not given back: by V8 until it collects, by the allocator below what it holds. Measured: 50 MiB. */
const USED_SHARE = 0.75
/** Of the whole budget: kept for small bodies. */
const KEPT_SHARE = 1 / 8
/** Of the whole budget: what a small body holds at most. By default 128 KiB, the size of a usual page. */
const SMALL_SHARE = 1 / 2_048
/** In a small budget as well. */
const LEAST_SMALL_BYTES = 16 * 2 ** 10
/** How often more a body must fit, beside what it holds. */
const COPIES = 2

/** A body that has no room to grow. */
export interface Waiter {
  readonly heldBytes: number
  /** There is room. It does not wait any more, and may wait again at once. */
  goOn(): void
  /** There will be no room: it ends, and releases what it holds before this returns. It does not wait any more. */
  refuse(): void
}

/** Counts what all bodies hold. */
export class ByteBudget {
  readonly totalBytes: number
  readonly #mostBytes: number
  #heldBytes = 0
  readonly #waiting = new Set<Waiter>()
  #isLooking = false

  constructor(totalBytes: number) {
    this.totalBytes = totalBytes
    this.#mostBytes = Math.floor(USED_SHARE * totalBytes)
  }

  /** Held by all; 0 when nothing is in flight or in progress. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Bodies that wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  acquire(bytes: number): void {
    this.#heldBytes += bytes
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes
    if (this.#waiting.size > 0) this.#lookSoon()
  }

  leaveBehind(bytes: number): void {
    leaveBehind(bytes)
  }

  /** Whether a body that holds so much, which is acquired, may continue. */
  hasRoom(heldBytes: number): boolean {
    return this.#fits(heldBytes, this.#heldBytes)
  }

  /** Whether it could if it were alone. */
  couldHold(heldBytes: number): boolean {
    return (1 + COPIES) * heldBytes <= this.#mostBytes
  }

  /** `waiter` hears, never in this call, how it continues. */
  wait(waiter: Waiter): void {
    this.#waiting.add(waiter)
    this.#lookSoon()
  }

  /** `waiter` has ended by itself. */
  leave(waiter: Waiter): void {
    if (this.#waiting.delete(waiter) && this.#waiting.size > 0) this.#lookSoon()
  }

  /** Ends the largest body that waits. Not from inside a callback of undici. */
  refuseLargest(): void {
    let largest: Waiter | undefined
    for (const waiter of this.#waiting) if (largest === undefined || waiter.heldBytes > largest.heldBytes) largest = waiter
    if (largest === undefined) return
    this.#waiting.delete(largest)
    largest.refuse()
  }

  #lookSoon(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    queueMicrotask(() => {
      this.#isLooking = false
      this.#look()
    })
  }

  /** Lets those continue that can, the one that waits longest first; each refusal makes room, so the rest are looked at again. */
  #look(): void {
    for (const waiter of [...this.#waiting]) {
      if (!this.#waiting.has(waiter) || !this.hasRoom(waiter.heldBytes)) continue
      this.#waiting.delete(waiter)
      waiter.goOn()
    }
    if (this.#isStuck) this.refuseLargest()
  }

  /** Whether nothing could continue even after all that does not wait has ended. */
  get #isStuck(): boolean {
    if (this.#waiting.size === 0) return false
    let smallest = Infinity
    let all = 0
    for (const { heldBytes } of this.#waiting) {
      smallest = Math.min(smallest, heldBytes)
      all += heldBytes
    }
    return !this.#fits(smallest, all)
  }

  /** Whether a body that holds so much may continue while all hold `all`. */
  #fits(heldBytes: number, all: number): boolean {
    const free = this.#mostBytes - all
    const isSmall = heldBytes <= Math.max(LEAST_SMALL_BYTES, SMALL_SHARE * this.totalBytes)
    return COPIES * heldBytes <= free && (isSmall || free >= KEPT_SHARE * this.totalBytes)
  }
}
