// How long things last between processes that cannot see each other.
//
// A process says that it lives every `beatMs`. It counts `heldMs` from when it sent the last beat that was answered: until then nobody can have buried it, for
// whoever does has seen its beat unchanged for `buryMs` of his own time, counted from when he had the answer, which is later than it was sent. Between the two
// lies what a request takes to end, and what clocks of two machines differ by over such a time.

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
