// Virtual time: a crawl of a day takes seconds, and runs the same way each time. The only file of this package with real timers.
//
// While something runs, the clock does this again and again: let every promise job go that can (one hop through the event loop), then,
// if nobody holds time, jump to the next moment at which a wake is due and call all wakes of that moment in the order of asking. Wakes
// asked for during a moment and due at it are called one hop later, so that what the first ones resolved has been seen by then.
// Invariant: time never moves while a hold is open, so what takes real time (a handler, a store) takes no virtual time at all.
import { AvocetError } from '@avocet/core'
import { IndexedHeap, sleepUntil, type Clock, type HeapEntry } from '@avocet/core/store'

/** Where virtual time begins: 2026-01-01T00:00:00Z. */
const EPOCH = 1_767_225_600_000

/** Real ms without any progress after which a run gives up. */
const STUCK_AFTER_MS = 5_000

/**
 * Hops asked for at once. Node lets all promise jobs go between two immediates of one turn of its loop (since 11), so each is a whole hop; but
 * looking for I/O, which is what a turn costs, is shared by so many. What waits for I/O holds time, and the rest of its hops do nothing.
 */
const HOPS_A_TURN = 16

/** Options of `VirtualClock`. */
export interface VirtualClockOptions {
  /** Epoch ms at which it begins. Default: 2026-01-01T00:00:00Z. */
  readonly startAt?: number
  /** Real ms without any progress after which a run fails with AVO_CLOCK_STUCK. Default 5,000. */
  readonly stuckAfterMs?: number
}

/**
 * A clock whose time jumps to whatever is due next.
 *
 * @example
 * ```ts
 * const clock = new VirtualClock()
 * const report = await clock.run(() => crawl({ spider, policies: polite(), clock, fetcher: simulatedWeb(model, { clock }) }).run())
 * ```
 */
export class VirtualClock implements Clock {
  readonly #startAt: number
  readonly #stuckAfterMs: number
  readonly #wakes = new IndexedHeap<Wake>()
  /** Open holds, oldest first. */
  readonly #holds = new Set<{ readonly name: string }>()
  /** How each run in progress is told that time is stuck, or that a wake threw. */
  readonly #runs = new Set<(error: unknown) => void>()
  #now: number
  #order = 0
  /** Changes whenever anything happens; what does not change for long is stuck. */
  #progress = 0
  /** Hops asked for that have not come yet. */
  #hops = 0
  #watch: NodeJS.Timeout | undefined

  constructor(options: VirtualClockOptions = {}) {
    this.#startAt = options.startAt ?? EPOCH
    this.#stuckAfterMs = options.stuckAfterMs ?? STUCK_AFTER_MS
    this.#now = this.#startAt
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.#startAt
  }

  /** Number of scheduled wakes. A test can check that nothing was left behind. */
  get scheduled(): number {
    return this.#wakes.size
  }

  at(epochMs: number, call: () => void): Disposable {
    if (Number.isNaN(epochMs)) throw new AvocetError('AVO_INTERNAL', 'clock.at() expects epoch ms, got NaN')
    const wake = new Wake(this.#wakes, { heapKey: Math.max(epochMs, this.#now), heapOrder: this.#order++ }, call)
    if (wake.heapKey !== Infinity) this.#wakes.push(wake)
    this.#stir()
    return wake
  }

  hold(name: string): Disposable {
    const held = { name }
    this.#holds.add(held)
    this.#progress++
    return {
      [Symbol.dispose]: () => {
        if (this.#holds.delete(held)) this.#stir()
      },
    }
  }

  /**
   * Drives time until `work` settles, and settles as it does.
   *
   * Rejects with AVO_CLOCK_STUCK when nothing happens for five real seconds, naming the oldest hold or saying that nothing is scheduled.
   */
  async run<T>(work: PromiseLike<T> | (() => PromiseLike<T>)): Promise<T> {
    let fail: (error: unknown) => void = () => {}
    const stuck = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    this.#runs.add(fail)
    this.#stir()
    this.#guard(this.#progress)
    try {
      return await Promise.race([typeof work === 'function' ? work() : work, stuck])
    } finally {
      this.#runs.delete(fail)
      if (this.#runs.size === 0) clearTimeout(this.#watch)
    }
  }

  /** Lets `ms` pass, with everything that is due in it. */
  advance(ms: number): Promise<void> {
    return this.advanceTo(this.#now + ms)
  }

  /** Lets time pass until `epochMs`, with everything that is due until then, that moment included. */
  advanceTo(epochMs: number): Promise<void> {
    return this.run(() => sleepUntil(this, epochMs))
  }

  /** Something happened: go on if that is possible now. */
  #stir(): void {
    this.#progress++
    if (this.#hops > 0 || this.#runs.size === 0 || this.#holds.size > 0 || this.#wakes.size === 0) return
    this.#hops = HOPS_A_TURN
    for (let hop = 0; hop < HOPS_A_TURN; hop++) setImmediate(this.#hop)
  }

  readonly #hop = (): void => {
    this.#hops--
    // A run may have ended, or a hold been opened, since this hop was asked for.
    if (this.#runs.size === 0 || this.#holds.size > 0) return
    const first = this.#wakes.peek()
    if (first === undefined) return
    this.#now = first.heapKey
    try {
      this.#callAllDue()
    } catch (error) {
      this.#failRuns(error)
    }
    this.#stir()
  }

  #callAllDue(): void {
    const askedBefore = this.#order
    for (;;) {
      const wake = this.#wakes.peek()
      if (wake === undefined || wake.heapKey > this.#now || wake.heapOrder >= askedBefore) return
      this.#wakes.remove(wake)
      wake.call()
    }
  }

  /** Fails the runs unless something happens within the real time allowed. */
  #guard(progress: number): void {
    clearTimeout(this.#watch)
    this.#watch = setTimeout(() => {
      // One more turn of the loop: after a long synchronous stretch the news of its end may only now be on its way.
      setImmediate(() => {
        if (this.#runs.size === 0) return
        if (this.#progress === progress && this.#hops === 0) this.#failRuns(this.#stuck())
        this.#guard(this.#progress)
      })
    }, this.#stuckAfterMs)
  }

  #stuck(): AvocetError {
    const [oldest] = this.#holds
    const waited = `virtual time stood still for ${String(this.#stuckAfterMs)} real ms`
    return new AvocetError(
      'AVO_CLOCK_STUCK',
      oldest === undefined
        ? `${waited}: nothing is scheduled and nothing is held, yet the work has not ended; it waits for something that never comes, or for real I/O without a hold`
        : `${waited}, held by "${oldest.name}"${this.#holds.size > 1 ? ` and ${String(this.#holds.size - 1)} more` : ''}: it waits for something real, or never ends`,
    )
  }

  #failRuns(error: unknown): void {
    for (const fail of this.#runs) fail(error)
  }
}

/** A call that is due at `heapKey`, epoch ms. Dispose to forget it; harmless when it was made or forgotten before. A crawl forgets nearly all of them. */
class Wake implements HeapEntry, Disposable {
  readonly heapKey: number
  readonly heapOrder: number
  heapIndex = -1
  readonly call: () => void
  readonly #heap: IndexedHeap<Wake>

  constructor(heap: IndexedHeap<Wake>, { heapKey, heapOrder }: Pick<HeapEntry, 'heapKey' | 'heapOrder'>, call: () => void) {
    this.heapKey = heapKey
    this.heapOrder = heapOrder
    this.call = call
    this.#heap = heap
  }

  [Symbol.dispose](): void {
    if (this.heapIndex >= 0) this.#heap.remove(this)
  }
}
