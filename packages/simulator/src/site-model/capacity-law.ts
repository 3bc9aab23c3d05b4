// The capacity of a host, and how it changes. Plain JSON.

/** From `atMs` (since the web was started) on, `factor` times what the law says, until the next change. */
export interface Change {
  readonly atMs: number
  readonly factor: number
}

/** A slow swing: times 1 + `ratio` · sin(2π t / `periodMs`). `ratio` from 0 to 1. */
export interface Wave {
  readonly ratio: number
  readonly periodMs: number
}

/** How a rate changes over time. The factors of a change and of the wave multiply. */
export interface Variation {
  /** In the order of `atMs`. */
  readonly changes?: readonly Change[]
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
  readonly requests: number
  readonly windowSeconds: number
  readonly banSeconds: number
  readonly status?: number
}
