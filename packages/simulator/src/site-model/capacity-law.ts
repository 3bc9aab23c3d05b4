// The capacity of a host, and how it changes. Plain JSON.

/** From `atMs` (since the web was started) on, `factor` times what the law says, until the next change. */
export interface Change {
  /** Ms since the web was started. */
  readonly atMs: number
  /** 2 = twice as much; 0 = nothing. */
  readonly factor: number
}

/** A slow swing: times 1 + `ratio` · sin(2π t / `periodMs`). `ratio` from 0 to 1. */
export interface Wave {
  /** Height of the swing. */
  readonly ratio: number
  /** From one crest to the next. */
  readonly periodMs: number
}

/** How a rate changes over time. The factors of a change and of the wave multiply. */
export interface Variation {
  /** In the order of `atMs`. */
  readonly changes?: readonly Change[]
  /** Default: none. */
  readonly wave?: Wave
}

/** How many requests a host can serve. It refuses requests above that; with `servers` it queues them. */
export type CapacityLaw =
  /** A token bucket: `perSecond` on average, up to `burst` at once. A refused request costs nothing. */
  | ({ readonly law: 'bucket'; readonly perSecond: number; readonly burst: number } & Variation)
  /** The same, but a refused request costs a token too, down to minus `floor` (default: `burst`): a client that does not slow down stays locked out. */
  | ({ readonly law: 'penalising'; readonly perSecond: number; readonly burst: number; readonly floor?: number } & Variation)
  /** `requests` in each window of `seconds`; windows begin with the web. */
  | { readonly law: 'window'; readonly requests: number; readonly seconds: number }
  /** No more than `requests` served in any `seconds`. A refused request costs nothing. */
  | { readonly law: 'sliding'; readonly requests: number; readonly seconds: number }
  /**
   * `servers` workers and one queue, first come, first served: nothing is refused, responses take longer. The host's latency is the time that a
   * worker takes; a variation is one of its speed. A request that the client gives up costs the worker its time all the same.
   */
  | ({ readonly law: 'servers'; readonly servers: number } & Variation)

/** After more than `requests` in any `windowSeconds`, served or not, every response for `banSeconds` has `status` (default 403). */
export interface Ban {
  /** The most that are tolerated in a window. */
  readonly requests: number
  /** Length of the window. */
  readonly windowSeconds: number
  /** Length of the ban. */
  readonly banSeconds: number
  /** Of every response during the ban. Default 403. */
  readonly status?: number
}
