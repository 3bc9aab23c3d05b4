// What a rate law is: how the rate of one host answers to what the host says. Pure: state, event, limits to state; no clock, no dice, no timers.
//
// Around every law stand the same rules, which no law repeats: requests are paced by its rate (pace.ts), one burst of refusals is one event
// (the epoch rule: only the first refusal of an epoch reaches the law), the host is drained after it, and what it asks for in Retry-After or
// RateLimit fields is kept. A law therefore decides one thing only: the number of requests per second.

/** State of a law for one host: plain JSON, committed with the outcomes that it was learned from. */
export interface RateState {
  /** Requests per second from now on; finite, above 0. */
  readonly rps: number
  /** After this refusal rest so long before the next request, ms, in addition to the pause that the host itself requested. */
  readonly restMs?: number
  /** After the end of an exchange rest so long, ms (the law `delay-factor`). */
  readonly afterEndMs?: number
}

/** Bounds that the user set for this host. Laws stay within them. */
export interface RateLimits {
  readonly startRps: number
  readonly minRps: number
  readonly maxRps: number
  /** What the user set for this very host, when that was the case: under a fixed rate, the rate. */
  readonly hostRps?: number
}

/** The host answered, and did not refuse. */
export interface Accepted {
  /** Epoch ms. */
  readonly now: number
  /** Sent after the last change of epoch. When false it proves the old rate, not this one: meters may count it, the rate must not rise by it. */
  readonly counts: boolean
  /** From sending to the headers, and to the end. */
  readonly firstByteMs: number
  readonly durationMs: number
  /** Exchanges still in flight at this host. */
  readonly inFlight: number
}

/** The host refused: the first refusal of its epoch. */
export interface Refused {
  /** Epoch ms. */
  readonly now: number
  /** Whether the host said until when to wait: then there is nothing to guess. */
  readonly saysWhen: boolean
  readonly firstByteMs: number
  readonly inFlight: number
  /** A number in [0, 1), for jitter. */
  readonly chance: number
}

/** A rate law. */
export interface RateLaw<State extends RateState = RateState> {
  /** Names the law in memory, in `why`, and in options. */
  readonly name: string
  /** Requests that may go back to back after a rest; 1 = none. */
  readonly burst: number
  /** True when the state follows from the limits alone: it is made anew each time, so that a changed configuration holds at once. */
  readonly constant?: boolean
  /** State of a host that was never met. */
  fresh(limits: RateLimits): State
  accepted(state: State, event: Accepted, limits: RateLimits): State
  refused(state: State, event: Refused, limits: RateLimits): State
}

/** `state` at `rps`, within the limits. */
export function within<State extends RateState>(state: State, rps: number, { minRps, maxRps }: RateLimits): State {
  const bounded = Math.round(Math.min(maxRps, Math.max(minRps, rps)) * 1e6) / 1e6
  return bounded === state.rps ? state : { ...state, rps: bounded }
}
