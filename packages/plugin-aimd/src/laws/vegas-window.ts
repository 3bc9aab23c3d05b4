// The window law `vegas-window`: as many exchanges in flight as a host serves at once, and a little queue; found by how late its answers come.
//
// A host with k workers answers as quickly at N = k in flight as at 1; above, each further exchange only waits. So from the time to the first byte
// the queue can be told: Q = N · (1 − base / median), base being what it takes when nobody waits (TCP Vegas, Brakmo & Peterson 1995).
// - start: one more per round trip, from few samples, while nothing waits; the first sign of a queue ends it. A short crawl of a slow host is
//   over before anything could be measured with confidence, and a host that does not slow down is not hurt.
// - steady: rounds of 20 answers. Less queue than `few` and the window was full: up by a tenth. More than `many`: down by a tenth.
// - probe: now and then half the window for half a round, to measure base anew; or it would drift up with the queue it should reveal.
// - A host that became slower by itself looks like a queue, and the window would fall without end. So when a quarter of it is gone and the
//   answers came no sooner, it was not our doing: what is now is base, and the window goes back to where it began to fall.
// Trouble (503, resets, silence) cuts to 0.7 once per round, no connection to 1. Only exchanges sent after the last change count.
import { atLeast, count, optionsOf, wrong } from '../options.ts'
import type { WindowAnswered, WindowFailed, WindowLaw, WindowLimits, WindowState } from '../window-law.ts'

/** Options of `vegasWindow`. */
export interface VegasWindowOptions {
  /** How much of a queue is sought, 0–4: 1 uses a host's capacity to the full, 0.5 (default) leaves it room for others. */
  readonly spare?: number
  /** Exchanges in flight, at most; whole. Default 8. */
  readonly max?: number
}

/** Memory of one host; ms are rounded. */
export interface VegasWindowState extends WindowState {
  readonly mode: 'start' | 'steady' | 'probe'
  /** First byte when nobody waits; 0 = not known. */
  readonly baseMs: number
  /** Answers of this round: first bytes, ms. */
  readonly round: readonly number[]
  /** Whether the window was full in this round. */
  readonly wasFull: boolean
  /** Failures of this round that count when they come in twos. */
  readonly troubles: number
  /** Last exchange booked when the window last changed: up to it all is old news. */
  readonly changedAtSeq: number
  /** Window and median before it began to fall; 0 = it did not. */
  readonly fellFrom: number
  readonly fellFromMs: number
  /** Answers since base was last measured, and when that was. */
  readonly sinceProbe: number
  readonly probedAt: number
}

const ROUND = 20
const CUT = 0.7
const PROBE_EACH_MS = 300_000
const PROBE_EACH = 400

/**
 * The law `vegas-window`.
 *
 * @throws AVO_CONFIG_INVALID for an unknown option, or one out of range.
 * @example
 * ```ts
 * vegasWindow({ max: 4 }).fresh({ maxInFlight: 8 }).limit // 1
 * ```
 */
export function vegasWindow(options: VegasWindowOptions = {}): WindowLaw<VegasWindowState> {
  optionsOf('vegasWindow', options, ['spare', 'max'])
  const spare = atLeast('vegasWindow: spare', options.spare ?? 0.5, { above: 0 })
  if (spare > 4) throw wrong('vegasWindow: spare', 'at most 4', spare)
  const max = count('vegasWindow: max', options.max ?? 8)
  const law = { spare, max }
  return {
    name: 'vegas-window',
    fresh: () => FRESH,
    answered: (state, event, limits) => answered(state, event, { ...law, max: Math.min(max, limits.maxInFlight) }),
    failed,
  }
}

const FRESH: VegasWindowState = {
  limit: 1,
  mode: 'start',
  baseMs: 0,
  round: [],
  wasFull: false,
  troubles: 0,
  changedAtSeq: 0,
  fellFrom: 0,
  fellFromMs: 0,
  sinceProbe: 0,
  probedAt: 0,
}

interface Settings {
  readonly spare: number
  readonly max: number
}

function answered(state: VegasWindowState, event: WindowAnswered, settings: Settings): VegasWindowState {
  if (event.seq <= state.changedAtSeq) return state
  const next = {
    ...state,
    round: [...state.round, Math.max(1, Math.round(event.firstByteMs))],
    wasFull: state.wasFull || event.inFlight + 1 >= Math.floor(state.limit),
    sinceProbe: state.sinceProbe + 1,
    probedAt: state.probedAt === 0 ? event.now : state.probedAt,
  }
  if (next.round.length < enough(state)) return next
  const judged = JUDGES[state.mode](next, event, settings)
  const isChanged = judged.limit !== state.limit
  return { ...judged, round: [], wasFull: false, troubles: 0, changedAtSeq: isChanged ? event.lastSeq : state.changedAtSeq }
}

/** Answers that make a round. */
function enough({ mode, limit }: VegasWindowState): number {
  if (mode === 'start') return Math.min(ROUND, Math.ceil(limit / 2))
  return mode === 'probe' ? ROUND / 2 : Math.max(ROUND, Math.floor(limit))
}

type Judge = (state: VegasWindowState, event: WindowAnswered, settings: Settings) => VegasWindowState

const JUDGES: Readonly<Record<VegasWindowState['mode'], Judge>> = {
  start(state, _event, { spare, max }) {
    const ms = median(state.round)
    if (state.baseMs === 0) return { ...state, baseMs: ms, limit: Math.min(max, 2) }
    const queue = queueOf(state, ms)
    if (queue > spare * many(state.limit)) {
      return { ...state, mode: 'steady', limit: withinOf(state.limit - queue + spare * few(state.limit), max) }
    }
    // Nothing waits, so these answers are as good a base as those before.
    const weight = state.round.length / Math.min(ROUND, state.sinceProbe)
    const baseMs = Math.round(state.baseMs + weight * (ms - state.baseMs))
    return { ...state, baseMs, limit: state.wasFull ? withinOf(state.limit + 1, max) : state.limit }
  },

  steady(state, event, { spare, max }) {
    const ms = median(state.round)
    if (state.limit < 2) state = { ...state, baseMs: ms }
    const known = ms < state.baseMs ? { ...state, baseMs: Math.round(state.baseMs - 0.3 * (state.baseMs - ms)) } : state
    const queue = queueOf(known, ms)
    const step = Math.max(1, 0.1 * state.limit)
    if (queue > spare * many(state.limit)) return fallen(known, ms, withinOf(state.limit - step, max))
    const settled = { ...known, fellFrom: 0, fellFromMs: 0 }
    const isDue = state.sinceProbe >= PROBE_EACH && event.now >= state.probedAt + PROBE_EACH_MS
    if (isDue && state.limit >= 2 && (queue >= spare * few(state.limit) || state.limit < max)) {
      return { ...settled, mode: 'probe', fellFrom: state.limit, limit: withinOf(state.limit / 2, max) }
    }
    if (queue < spare * few(state.limit) && state.wasFull) return { ...settled, limit: withinOf(state.limit + step, max) }
    return settled
  },

  probe(state, event, { max }) {
    return {
      ...state,
      mode: 'steady',
      baseMs: median(state.round),
      limit: withinOf(state.fellFrom, max),
      fellFrom: 0,
      sinceProbe: 0,
      probedAt: event.now,
    }
  },
}

/** Down to `limit`; unless falling does not help. */
function fallen(state: VegasWindowState, ms: number, limit: number): VegasWindowState {
  // What helped is where the fall begins anew.
  const isHelping = state.fellFrom === 0 || ms < 0.9 * state.fellFromMs
  if (isHelping) return { ...state, fellFrom: state.limit, fellFromMs: ms, limit }
  if (limit > 0.75 * state.fellFrom) return { ...state, limit }
  return { ...state, baseMs: ms, limit: rounded(0.9 * state.fellFrom), fellFrom: 0, fellFromMs: 0 }
}

function failed(state: VegasWindowState, { seq, lastSeq, trouble }: WindowFailed): VegasWindowState {
  if (seq <= state.changedAtSeq) return state
  const changed = { ...state, round: [], wasFull: false, troubles: 0, changedAtSeq: lastSeq, fellFrom: 0, fellFromMs: 0 }
  if (trouble === 'connect') return { ...changed, mode: 'start', limit: 1 }
  // One page may be slow, or broken behind a gateway, all by itself.
  const isWeak = trouble === 'server-error' || trouble === 'timeout'
  if (isWeak && state.troubles === 0) return { ...state, troubles: 1 }
  const limit = state.mode === 'probe' ? Math.min(state.limit, CUT * state.fellFrom) : CUT * state.limit
  return { ...changed, mode: 'steady', limit: rounded(Math.max(1, limit)) }
}

function queueOf({ limit, baseMs }: VegasWindowState, ms: number): number {
  return Math.floor(limit) * (1 - baseMs / ms)
}

/** Queue, in exchanges, below which there is room for more, and above which there is too much; at `spare` 1. */
function few(limit: number): number {
  return Math.max(0.6, 0.15 * limit)
}

function many(limit: number): number {
  return Math.max(1.2, 0.4 * limit)
}

function withinOf(limit: number, max: number): number {
  return rounded(Math.max(1, Math.min(max, limit)))
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2
}
