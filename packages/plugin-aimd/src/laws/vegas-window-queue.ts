// How long the queue of a host is, inferred from a round of answers, and which lengths count as short or long. Pure; part of `vegas-window`.

/** A round of answers, and what they are measured by. */
export interface Round {
  /** Exchanges in flight, with a fraction. */
  readonly limit: number
  /** First byte when nobody waits. */
  readonly baseMs: number
  /** First bytes, ms. */
  readonly round: readonly number[]
}

/** Exchanges that wait, given the median of a round. */
export function queueOf({ limit, baseMs }: Round, ms: number): number {
  return Math.floor(limit) * (1 - baseMs / ms)
}

/**
 * Whether answers come later than any queue of ours could make them: even at a single worker, N in flight wait for N - 1 others and no longer
 * (threefold: for chance, and so that a service that takes twice as long is judged with care). Then it is base that is wrong: the host became
 * far slower, or base was learned from what comes at once, such as a robots.txt.
 */
export function isNotOurs({ limit, baseMs }: Round, ms: number): boolean {
  return ms > 3 * Math.floor(limit) * baseMs
}

/** Queue at which the start ends. */
export function signOf(limit: number): number {
  return Math.max(0.75, 0.2 * limit)
}

/** Queue below which there is room for more; at `spare` 1. Half an exchange cannot be distinguished from none. */
export function few(limit: number): number {
  return Math.max(0.6, 0.15 * limit)
}

/** Queue above which there is too much; at `spare` 1. */
export function many(limit: number): number {
  return Math.max(1.2, 0.4 * limit)
}

/** Base after a round that did not seek it: with one in flight nobody waits, and a round of quicker answers shows that base is too high. */
export function steadyBase(state: Round): number {
  return state.limit < 2 || quartile(state.round, 3) < state.baseMs ? baseFrom(state) : state.baseMs
}

/** Base and a round that measures it: a third of the way; all of it when three quarters of the round are on one side of base. */
export function baseFrom({ baseMs, round }: Round): number {
  const isFar = quartile(round, 1) > baseMs || quartile(round, 3) < baseMs
  return Math.round(isFar ? median(round) : baseMs + (median(round) - baseMs) / 3)
}

/** The middle of a round. */
export function median(values: readonly number[]): number {
  return (quartile(values, 2) + quartile(values, 2, values.length - 1)) / 2
}

/** The `nth` quarter of what is sorted; of an even number the upper or, with `last` places, the lower of the two in the middle. */
function quartile(values: readonly number[], nth: 1 | 2 | 3, last: number = values.length): number {
  return values.toSorted((a, b) => a - b)[Math.floor((nth * last) / 4)] ?? 0
}
