// The time of a crawl in one process, and until when it holds its hosts: both from its own clocks, set by what the store answers.
//
// The crawl's time stands in the store and never goes back. A process carries it on by its monotonic clock, and takes over what is later with each answer.

/** A moment by both clocks of this machine. */
interface Moment {
  readonly monotonic: number
  readonly wall: number
}

/** The time of a process that is signed in. */
export class HeldTime {
  readonly #sources: TimeSources
  readonly #lifetimes: Lifetimes
  /** Crawl time, and the monotonic moment at which it was that. */
  #setTo = 0
  #setAt = 0
  /** When the last beat was sent that was answered. */
  #sent: Moment | undefined
  /** The longest silence since then that anybody was told of. */
  #silentMs = 0

  constructor(sources: TimeSources, lifetimes: Lifetimes) {
    this.#sources = sources
    this.#lifetimes = lifetimes
  }

  /** Crawl time, epoch ms. */
  get now(): number {
    return this.#setTo + Math.max(0, this.#sources.monotonic() - this.#setAt)
  }

  /** Crawl time until which hosts are held. */
  get heldUntil(): number {
    return this.now + this.#lifetimes.heldMs - this.silentMs
  }

  /**
   * How long ago the last beat was sent that was answered; by the clock that says more, for one stands still while the machine is suspended. It does not
   * shrink when a clock is set back: hosts that were over are dropped.
   */
  get silentMs(): number {
    if (this.#sent === undefined) return Infinity
    const { monotonic, wall } = this.moment()
    this.#silentMs = Math.max(this.#silentMs, monotonic - this.#sent.monotonic, wall - this.#sent.wall)
    return this.#silentMs
  }

  moment(): Moment {
    return { monotonic: this.#sources.monotonic(), wall: this.#sources.wall() }
  }

  /** A beat that was sent at `sent` was answered with this crawl time. */
  answered(sent: Moment, crawlAt: number): void {
    this.#sent = sent
    this.#silentMs = 0
    const now = this.now
    this.#setAt = this.#sources.monotonic()
    this.#setTo = Math.max(now, crawlAt)
  }
}

// How long things last between processes that cannot see each other.
//
// A process says that it lives every `beatMs`. It stops trusting its hosts `heldMs` after it sent its last answered beat. Others bury it `buryMs` after they
// saw that beat, which is later. Between the two lies what a request takes to end, and what clocks of two machines differ by over such a time.

/** The three, in ms. */
export interface Lifetimes {
  readonly beatMs: number
  readonly heldMs: number
  readonly buryMs: number
}

/** As a crawl has them. */
export const LIFETIMES: Lifetimes = { beatMs: 5_000, heldMs: 20_000, buryMs: 30_000 }

/** What tells the time; both in ms. */
export interface TimeSources {
  /** Since a point of this machine; never goes back. */
  monotonic(): number
  /** Epoch ms: goes on while the machine is suspended. */
  wall(): number
}
