// What a window law is: how many exchanges a host may have in flight, given how it answers. Pure: state, event, limits to state.
//
// It stands beside the rate law and holds by min. A rate law answers to refusals; a window law answers to a host that queues instead of
// refusing. It sees every exchange that ended, with its number, and collapses bursts itself: what was sent before its last change is old news.

/** State of a law for one host: plain JSON, committed with the outcomes that it was learned from. */
export interface WindowState {
  /** Exchanges in flight, with a fraction; ≥ 1. Ask `limitOf` for the whole number. */
  readonly limit: number
}

/** Bounds that the user set for this host. */
export interface WindowLimits {
  /** Exchanges in flight, at most; whole, ≥ 1. */
  readonly maxInFlight: number
}

/** What every event says of the exchange that ended. */
export interface WindowEvent {
  /** Epoch ms. */
  readonly now: number
  /** Number of the exchange at its host, ascending. */
  readonly seq: number
  /** Number of the last exchange booked at this host (`exchange.host.seq`). */
  readonly lastSeq: number
  /** Exchanges still in flight at this host, without this one (`exchange.host.inFlight`). */
  readonly inFlight: number
}

/**
 * The host answered with a status below 500 that is no refusal. Best left out: documents that plugins require, redirects, 304 and served
 * responses, for they come sooner than pages do.
 */
export interface WindowAnswered extends WindowEvent {
  /** From the request being written to the headers. */
  readonly firstByteMs: number
}

/**
 * What went wrong: `refused` 503 (a 429 is the rate law's business), `server-error` 502, 504, 52x, `timeout` no first byte in time,
 * `reset` the connection was reset or closed early, `connect` no connection.
 */
export type WindowTrouble = 'refused' | 'server-error' | 'timeout' | 'reset' | 'connect'

/** The host did not answer, or only that it cannot. */
export interface WindowFailed extends WindowEvent {
  readonly trouble: WindowTrouble
}

/** A window law. */
export interface WindowLaw<State extends WindowState = WindowState> {
  /** Names the law in memory, in `why`, and in options. */
  readonly name: string
  /** State of a host that was never met. */
  fresh(limits: WindowLimits): State
  answered(state: State, event: WindowAnswered, limits: WindowLimits): State
  failed(state: State, event: WindowFailed, limits: WindowLimits): State
}

/**
 * Exchanges that may be in flight: whole, at least 1, at most what the user allows.
 *
 * @example
 * ```ts
 * limitOf({ limit: 4.7 }, { maxInFlight: 8 }) // 4
 * ```
 */
export function limitOf({ limit }: WindowState, { maxInFlight }: WindowLimits): number {
  return Math.max(1, Math.min(Math.floor(limit), maxInFlight))
}
