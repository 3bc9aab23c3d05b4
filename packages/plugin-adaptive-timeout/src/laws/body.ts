// How long a body may take: the longest pause, the least throughput, and the whole, each loosened for hosts that proved slow.
//
// Begins strict (15 s between two pieces, 1 KiB/s, 60 s in all), for a body that drips holds a slot for as long as it likes. A body that was
// given up loosens the limits twofold in time and fourfold in throughput, at most twice; a body that would have passed under the stricter
// limits tightens them by one step. The whole has four times the longest body of late, so that a site of large files can be read.

/** Options. */
export interface BodyOptions {
  /** Longest pause between two pieces, ms. */
  readonly idleMs: number
  /** Least throughput, averaged over 30 s. */
  readonly minBytesPerSecond: number
  /** Time for a whole body, at least; ms. */
  readonly bodyMs: number
}

/** Memory of one host. */
export type BodyState = {
  /** Steps by which the limits are loosened. */
  readonly steps: number
  /** The longest body of late, where it is long enough to matter; ms. */
  readonly longestMs: number
}

/** Of a host that was never met. */
export const FRESH_BODY: BodyState = { steps: 0, longestMs: 0 }

const MOST_STEPS = 2
const ROOM = 4
/** The longest body is forgotten by so much at each that was shorter. */
const KEEP = 0.95

/** The limits for the next body; `failedAttempts` of the same page loosen them too. */
export function bodyLimits(state: BodyState, options: BodyOptions, failedAttempts: number): BodyOptions {
  const steps = Math.min(MOST_STEPS, Math.max(state.steps, failedAttempts))
  return {
    idleMs: options.idleMs * 2 ** steps,
    minBytesPerSecond: options.minBytesPerSecond / 4 ** steps,
    bodyMs: Math.max(options.bodyMs * 2 ** steps, ROOM * state.longestMs),
  }
}

/** A body came to its end after `tookMs`. */
export function bodyEnded(state: BodyState, options: BodyOptions, tookMs: number): BodyState {
  const longestMs = Math.max(tookMs, state.longestMs * KEEP)
  // What was over before the stricter pause could have passed passed under the stricter limits, with any pauses.
  const fits = state.steps > 0 && tookMs < options.idleMs * 2 ** (state.steps - 1)
  return { steps: state.steps - (fits ? 1 : 0), longestMs: ROOM * longestMs > options.bodyMs ? Math.round(longestMs) : 0 }
}

/** A body was given up: for a pause, for its throughput, or (`tookMs`) because the whole took too long. */
export function bodyGivenUp(state: BodyState, tookMs = 0): BodyState {
  return { steps: Math.min(MOST_STEPS, state.steps + 1), longestMs: Math.max(state.longestMs, Math.round(tookMs)) }
}
