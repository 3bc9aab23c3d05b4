// How long a delivery rests: until a batch has filled up, or the items in it have waited for long enough, or a moment has come.
import { SinkDown, type SinkLimits } from '@avocet/core/sink'
import type { Clock } from '@avocet/core/store'

/** How often items of other processes are looked for. */
const LOOK_MS = 1_000
const LOOK_SELDOM_MS = 4_000

/** How long to rest. */
export interface RestLength {
  readonly ms: number
  /** New items end it. */
  readonly isIdle?: true
}

/** No rest. */
export const AT_ONCE: RestLength = { ms: 0 }

/** Until new items end it. */
export const UNTIL_ITEMS: RestLength = { ms: Infinity, isIdle: true }

/** The rests of one delivery. The crawl tells it of items, synchronously. */
export class SinkRest {
  readonly #clock: Pick<Clock, 'now' | 'at'>
  readonly #limits: SinkLimits
  #items = 0
  #bytes = 0
  /** Epoch ms of the first item since the last look; Infinity when there is none. */
  #since = Infinity
  /** That of the items which the last look found. */
  #sinceBefore = Infinity
  #lookMs = LOOK_MS
  #isWoken = false
  #resting: { readonly isIdle: boolean; timer: Disposable; readonly end: () => void } | undefined

  constructor(clock: Pick<Clock, 'now' | 'at'>, limits: SinkLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  committed(items: number, bytes: number): void {
    const wasFull = this.#isFull
    const isFirst = this.#since === Infinity
    this.#items += items
    this.#bytes += bytes
    if (isFirst) this.#since = this.#clock.now()
    if (!this.#resting?.isIdle || (!isFirst && wasFull === this.#isFull)) return
    this.#resting.timer[Symbol.dispose]()
    this.#resting.timer = this.#clock.at(this.#lookAt, this.#resting.end)
  }

  /** The store is looked at now. */
  looked(): void {
    this.#items = this.#bytes = 0
    this.#sinceBefore = Math.min(this.#since, this.#clock.now())
    this.#since = Infinity
  }

  /** A batch was written, and of what the look found this much is left: how long it waits for more, so that the next batch fills up. */
  forMore({ items, bytes }: { readonly items: number; readonly bytes: number }): RestLength {
    this.#items += items
    this.#bytes += bytes
    if (items > 0) this.#since = this.#sinceBefore
    return this.#since === Infinity ? AT_ONCE : UNTIL_ITEMS
  }

  /** Nothing is left here: until items of other processes are looked for, doubling until some are found. */
  forOthers(): RestLength {
    const ms = this.#lookMs
    this.#lookMs = Math.min(LOOK_SELDOM_MS, 2 * ms)
    return { ms, isIdle: true }
  }

  /** There were items. */
  found(): void {
    this.#lookMs = LOOK_MS
  }

  /** Rests until `at`, epoch ms. `isIdle`: items end it sooner. */
  async until(at: number, isIdle: boolean): Promise<void> {
    const { promise, resolve: end } = Promise.withResolvers<void>()
    const soonest = isIdle ? Math.min(at, this.#lookAt) : at
    if (this.#isWoken || soonest <= this.#clock.now()) end()
    else this.#resting = { isIdle, end, timer: soonest === Infinity ? NO_TIMER : this.#clock.at(soonest, end) }
    await promise
    this.#resting?.timer[Symbol.dispose]()
    this.#resting = undefined
    this.#isWoken = false
  }

  /** Ends the rest, or the next one. */
  wake(): void {
    this.#isWoken = true
    this.#resting?.end()
  }

  get #isFull(): boolean {
    return this.#items >= this.#limits.maxItems || this.#bytes >= this.#limits.maxBytes
  }

  get #lookAt(): number {
    return this.#isFull ? this.#clock.now() : this.#since + this.#limits.maxWaitMs
  }
}

const NO_TIMER: Disposable = { [Symbol.dispose]() {} }

// The backoff from a sink that fails: 1 s, doubling to 60 s, a quarter of it by chance, so that many sinks of one server do not come back together.

const FIRST_MS = 1_000
const LONGEST_MS = 60_000

/** What a sink may ask for. */
const LATEST_MS = 3_600_000
/** A failure is reported again once there was none for so long: before, it may fail again without a word. */
const WELL_MS = 3_600_000

/** The backoff of one sink. */
export class Backoff {
  readonly #chance: (salt: string) => number
  /** Since it worked last. */
  #count = 0
  #salt = 0
  /** Epoch ms; Infinity when it is well. */
  #failedAt = Infinity

  constructor(chance: (salt: string) => number) {
    this.#chance = chance
  }

  /** It works at `now`, epoch ms. Returns, once, whether it has failed and is well. */
  worked(now: number): boolean {
    this.#count = 0
    const isWell = now - this.#failedAt >= WELL_MS
    if (isWell) this.#failedAt = Infinity
    return isWell
  }

  /** Ms to rest after one more. `now`: epoch ms. */
  failed(error: unknown, now: number): number {
    this.#failedAt = now
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#count++, 10))
    const restMs = ms * (0.75 + 0.25 * this.#chance(`${this.#salt++}`))
    const askedAt = error instanceof SinkDown ? error.retryAt : undefined
    // A sink in JavaScript may hand on a header field as it is: a text would make a rest that is no number, and so none.
    const asked = typeof askedAt !== 'number' || Number.isNaN(askedAt) ? 0 : Math.min(LATEST_MS, askedAt - now)
    return Math.max(restMs, asked)
  }
}
