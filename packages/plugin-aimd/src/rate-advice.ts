// What the RateLimit fields of an answer advise: a cap of the rate, of what is in flight, a pause. Pure.

/** Advice of a host; kept while it is fresh. */
export interface RateAdvice {
  /** Requests per second, at most. */
  readonly rps?: number
  /** Exchanges in flight, at most. */
  readonly maxInFlight?: number
  /** Epoch ms at which it is stale. */
  readonly until: number
}
