// The window law `vegas-window`: as many exchanges in flight as a host serves at once, and a little queue; found by how late its answers come.
//
// A host with k workers answers as quickly at N = k in flight as at 1; above, each further exchange only waits. So from the time to the first byte
// the queue is known: Q = N · (1 − base / median), base being what it takes when nobody waits (TCP Vegas, Brakmo & Peterson 1995).
// - start: twice as many per round trip, from few samples, while nothing waits (TCP's slow start); the first sign of a queue ends it. A short
//   crawl of a slow host is over before anything could be measured with confidence, and a host that does not slow down is not hurt.
// - steady: rounds of 20 answers. Less queue than `few` and the window was full: up by a tenth. More than `many`: down by a tenth.
// - probe: at intervals, half the window for half a round, to measure base anew; or it would drift up with the queue it should reveal.
// - A host that became slower by itself looks like a queue, and the window would fall without end. So when a quarter of it is gone and the
//   answers came no sooner, it was not our doing: what is now is base, and the window goes back to where it began to fall.
// Trouble (503, resets, silence) cuts to 0.7 once per round, no connection to 1. Only exchanges sent after the last change count.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import type { WindowAnswered, WindowFailed, WindowLaw, WindowState } from '../window-law.ts'

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
  /** Last exchange booked when trouble last cut the window. */
  readonly cutAtSeq: number
  /** Window and median before it began to fall, or window before it was halved to seek base; 0 = it did not fall. */
  readonly fellFrom: number
  readonly fellFromMs: number
  /** Times that base was sought, answers since then, and when that was. */
  readonly probes: number
  readonly sinceProbe: number
  readonly probedAt: number
}

const RULES: OptionRules<VegasWindowOptions> = {
  spare: option.satisfying('a number above 0, at most 4', (value) => typeof value === 'number' && value > 0 && value <= 4),
  max: option.wholeNumber(1),
}

const ROUND = 20
const CUT = 0.7
/** Answers that tell a time well enough to begin with. */
const SURE = 4
/** Base is sought each so often; soon at first, for what the start knew of it came from a few answers, then twice as seldom each time. */
const FIRST_PROBE = { afterMs: 20_000, answers: 40 }
const LATER_PROBES = { afterMs: 300_000, answers: 400 }

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
  checkOptions('vegasWindow', options, RULES)
  const { spare = 0.5, max = 8 } = options
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
  cutAtSeq: 0,
  fellFrom: 0,
  fellFromMs: 0,
  probes: 0,
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
  if (judged === undefined) return next
  const isChanged = judged.limit !== state.limit
  return { ...judged, round: [], wasFull: false, troubles: 0, changedAtSeq: isChanged ? event.lastSeq : state.changedAtSeq }
}

/** Answers that make a round; in the start a round may be left open for more. */
function enough({ mode, limit }: VegasWindowState): number {
  if (mode === 'start') return Math.ceil(limit / 2)
  // With one in flight nothing can wait: half a round is enough to try two.
  return limit < 2 ? ROUND / 2 : Math.max(ROUND, Math.floor(limit))
}

/** The state after a round; undefined when more answers are wanted first. */
type Judge = (state: VegasWindowState, event: WindowAnswered, settings: Settings) => VegasWindowState | undefined

const JUDGES: Readonly<Record<VegasWindowState['mode'], Judge>> = {
  start(state, _event, { spare, max }) {
    const { round } = state
    const ms = median(round)
    if (state.baseMs === 0) return { ...state, baseMs: ms, limit: Math.min(max, 2) }
    const queue = queueOf(state, ms)
    if (queue > signOf(state.limit)) {
      if (isNotOurs(state, ms)) return round.length < SURE ? undefined : { ...state, baseMs: ms, sinceProbe: round.length }
      // A few late answers are no queue: to end the start takes as many as the window holds, or ten.
      if (round.length < Math.max(ROUND / 2, state.limit)) return undefined
      const limit = withinOf(state.limit - queue + spare * few(state.limit), max)
      return { ...state, mode: 'steady', limit, fellFrom: state.limit, fellFromMs: ms }
    }
    // Nothing waits, so these answers are as good a base as those before.
    const baseMs = Math.round(state.baseMs + (round.length / state.sinceProbe) * (ms - state.baseMs))
    return { ...state, baseMs, limit: state.wasFull ? withinOf(2 * state.limit, max) : state.limit }
  },

  steady(state, event, { spare, max }) {
    const ms = median(state.round)
    const known = { ...state, baseMs: isNotOurs(state, ms) ? ms : steadyBase(state) }
    const queue = queueOf(known, ms)
    const step = Math.max(1, 0.1 * state.limit)
    if (queue > spare * many(state.limit)) return fallen(known, ms, withinOf(state.limit - step, max))
    const settled = { ...known, fellFrom: 0, fellFromMs: 0 }
    if (isProbeDue(state, event.now) && state.limit >= 2 && (queue >= spare * few(state.limit) || state.limit < max)) {
      return { ...settled, mode: 'probe', fellFrom: state.limit, limit: withinOf(state.limit / 2, max) }
    }
    if (queue < spare * few(state.limit) && state.wasFull) return { ...settled, limit: withinOf(state.limit + step, max) }
    return settled
  },

  probe(state, event, { max }) {
    return {
      ...state,
      mode: 'steady',
      baseMs: baseFrom(state),
      limit: withinOf(state.fellFrom, max),
      fellFrom: 0,
      probes: Math.min(99, state.probes + 1),
      sinceProbe: 0,
      probedAt: event.now,
    }
  },
}

function isProbeDue({ probes, sinceProbe, probedAt }: VegasWindowState, now: number): boolean {
  const answers = Math.min(LATER_PROBES.answers, FIRST_PROBE.answers * 2 ** probes)
  const afterMs = Math.min(LATER_PROBES.afterMs, FIRST_PROBE.afterMs * 2 ** probes)
  return sinceProbe >= answers && now >= probedAt + afterMs
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
  // A window that has grown since is no excuse: what fails was sent into a smaller one.
  if (seq <= state.cutAtSeq) return state
  const cut = { round: [], wasFull: false, troubles: 0, changedAtSeq: lastSeq, cutAtSeq: lastSeq, fellFrom: 0, fellFromMs: 0 }
  if (trouble === 'connect') return { ...state, ...cut, mode: 'start', limit: 1 }
  // One page may be slow, or broken behind a gateway, all by itself.
  const isWeak = trouble === 'server-error' || trouble === 'timeout'
  if (isWeak && state.troubles === 0) return { ...state, troubles: 1 }
  const limit = state.mode === 'probe' ? Math.min(state.limit, CUT * state.fellFrom) : CUT * state.limit
  const mode = state.baseMs === 0 ? 'start' : 'steady'
  return { ...state, ...cut, mode, limit: rounded(Math.max(1, limit)) }
}

function withinOf(limit: number, max: number): number {
  return rounded(Math.max(1, Math.min(max, limit)))
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

// How long the queue of a host is, inferred from a round of answers, and which lengths count as short or long. Pure; part of `vegas-window`.

/** A round of answers, and what they are measured by. */
interface Round {
  /** Exchanges in flight, with a fraction. */
  readonly limit: number
  /** First byte when nobody waits. */
  readonly baseMs: number
  /** First bytes, ms. */
  readonly round: readonly number[]
}

/** Exchanges that wait, given the median of a round. */
function queueOf({ limit, baseMs }: Round, ms: number): number {
  return Math.floor(limit) * (1 - baseMs / ms)
}

/**
 * Whether answers come later than any queue of ours could make them: even at a single worker, N in flight wait for N - 1 others and no longer
 * (threefold: for chance, and so that a service that takes twice as long is judged with care). Then it is base that is wrong: the host became
 * far slower, or base was learned from what comes at once, such as a robots.txt.
 */
function isNotOurs({ limit, baseMs }: Round, ms: number): boolean {
  return ms > 3 * Math.floor(limit) * baseMs
}

/** Queue at which the start ends. */
function signOf(limit: number): number {
  return Math.max(0.75, 0.2 * limit)
}

/** Queue below which there is room for more; at `spare` 1. Half an exchange cannot be distinguished from none. */
function few(limit: number): number {
  return Math.max(0.6, 0.15 * limit)
}

/** Queue above which there is too much; at `spare` 1. */
function many(limit: number): number {
  return Math.max(1.2, 0.4 * limit)
}

/** Base after a round that did not seek it: with one in flight nobody waits, and a round of quicker answers shows that base is too high. */
function steadyBase(state: Round): number {
  return state.limit < 2 || quartile(state.round, 3) < state.baseMs ? baseFrom(state) : state.baseMs
}

/** Base and a round that measures it: a third of the way; all of it when three quarters of the round are on one side of base. */
function baseFrom({ baseMs, round }: Round): number {
  const isFar = quartile(round, 1) > baseMs || quartile(round, 3) < baseMs
  return Math.round(isFar ? median(round) : baseMs + (median(round) - baseMs) / 3)
}

/** The middle of a round. */
function median(values: readonly number[]): number {
  return (quartile(values, 2) + quartile(values, 2, values.length - 1)) / 2
}

/** The `nth` quarter of what is sorted; of an even number the upper or, with `last` places, the lower of the two in the middle. */
function quartile(values: readonly number[], nth: 1 | 2 | 3, last: number = values.length): number {
  return values.toSorted((a, b) => a - b)[Math.floor((nth * last) / 4)] ?? 0
}
