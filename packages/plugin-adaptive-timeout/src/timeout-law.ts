// What a timeout law is: how long to wait for one phase of an exchange, given how long that phase took before. It knows nothing but the state that it is
// given, and changes it in place. And the simplest of them, which learns nothing.
//
// A timeout is an observation too: it says "longer than so much". A law that forgets it learns from the quick answers only, waits ever less,
// and never finds out (survivor bias). Each law says for itself what it does about that.
import { checkOptions, option } from '@avocet/core/plugin'

/** State of a law for one phase of one host: plain JSON. */
export type TimeoutState = Record<string, number | number[] | undefined>

/** The phase ended in time. */
export interface InTime {
  /** How long it took. */
  readonly tookMs: number
  /** Sent after the last timeout was learned from. When false it says nothing about the present timeout. */
  readonly isNews: boolean
}

/** The phase was given up. */
export interface TimedOut {
  /** After so long. */
  readonly waitedMs: number
  /** As for `InTime`: of exchanges that time out together, one is news. */
  readonly isNews: boolean
}

/** What a law may take into account besides its own state. */
export interface Around {
  /** Attempts of this request that failed before. */
  readonly failedAttempts: number
  /** What all hosts of the crawl took when they were new, as a histogram (quantile.ts). */
  readonly prior: readonly number[]
}

/** A timeout law. */
export interface TimeoutLaw<State extends TimeoutState = TimeoutState> {
  /** Names the law in memory, in `why`, and in options. */
  readonly name: string
  /** State of a host that was never met. */
  fresh(): State
  inTime(state: State, event: InTime): void
  timedOut(state: State, event: TimedOut): void
  /** How long to wait, ms; finite, above 0. */
  timeoutMs(state: State, around: Around): number
  /** A few named values for `avocet why`. */
  explain(state: State): Readonly<Record<string, number>>
}

/**
 * The law `fixed`: the same timeout for every exchange.
 *
 * @param options `ms`: how long to wait, above 0.
 * @throws AVO_CONFIG_INVALID when `ms` is missing or not above 0.
 * @example
 * ```ts
 * fixedTimeout({ ms: 10_000 }).timeoutMs({}, { failedAttempts: 0, prior: [] }) // 10000
 * ```
 */
export function fixedTimeout(options: { readonly ms: number }): TimeoutLaw<Record<string, never>> {
  checkOptions('fixedTimeout', options, { ms: option.needed(option.positive) })
  const { ms } = options
  return {
    name: 'fixed',
    fresh: () => ({}),
    inTime() {},
    timedOut() {},
    timeoutMs: () => ms,
    explain: () => ({}),
  }
}
