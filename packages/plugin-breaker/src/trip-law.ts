// What a trip law is, and the three there are: whether a host in trouble is to be left alone. Pure: the record, the last signal → the kind of trip, or none.
//
// Around every law stands the same circuit (circuit.ts), which no law repeats: how long it stays open, one probe at a time, two successes to close,
// and that what was sent before a change says nothing about it.
import type { Signal } from './signal.ts'
import { recentOutcomes, type RecentTrouble } from './trouble.ts'

/** Why a circuit opened; decides how long it stays so. */
export type TripKind = 'failing' | 'refused' | 'blocked' | 'dns' | 'certificate'

/** What was just heard of a host. */
export interface Sighting {
  readonly signal: Signal
  /** Epoch ms. */
  readonly now: number
  /** Whether the host ever answered with a success. */
  readonly proven: boolean
  /** Whether core is certain that the host keeps us out (`HostView.blocking`). */
  readonly banned: boolean
  /** Never answered with a success, or closed again only a moment ago: less is needed to doubt it. */
  readonly fragile: boolean
  /** It was down before and came back: less is needed to see that it is down again, and less is lost if it is not. */
  readonly comesAndGoes: boolean
}

/**
 * Decides when a circuit opens. Give your own as `breaker({ law })`.
 *
 * @example
 * ```ts
 * import { breaker } from '@avocet/plugin-breaker'
 * const plugins = [breaker({ law: { name: 'strict', trips: ({ inRow }) => (inRow >= 1 ? 'failing' : undefined) } })]
 * ```
 */
export interface TripLaw {
  readonly name: string
  /** `trouble` holds what was just heard. Called only while the circuit is closed and the host is in trouble. */
  trips(trouble: RecentTrouble, seen: Sighting): TripKind | undefined
}

/** The law `consecutive` of the textbook: so many failures in a row, and nothing else. */
export function consecutiveLaw(failures: number): TripLaw {
  return { name: 'consecutive', trips: ({ inRow }) => (inRow >= failures ? 'failing' : undefined) }
}

/** The law `none` never trips: to measure what the breaker is worth, or to leave hosts to core's three probes. */
export const NO_LAW: TripLaw = { name: 'none', trips: () => undefined }

// A count alone misses hosts that fail half of the time, a ratio alone is slow with few requests (resilience4j wants 100 calls, a crawler has 10).
// Out of the blue three of five failures suffice, with no answer in between: where one page in three fails, failures in a row are chance; where none
// did, they are an outage, and of a host that comes and goes two will do. Two failures suffice for a host that never answered: of a new crawl's hosts one in
// twenty is dead, and each probe costs a whole timeout.
const FRAGILE_FAILURES = 2
const BLUE_SHARE = 0.6
const BLUE_AGAIN_SHARE = 0.4
const LEAST_OUTCOMES = 10
const FAILURE_RATIO = 0.6
/** So many refusals and not one answer, or refusals only for so long: then it is no longer a matter of pace. */
const REFUSALS = 10
const BLACKOUT_MS = 60_000
const BLACKOUT_REFUSALS = 3

/** The law `ratio`, the default: so many failures in a row, or too large a share of them within a minute; a ban, a long refusal and a hopeless host at once. */
export function ratioLaw(failures: number): TripLaw {
  return {
    name: 'ratio',
    trips(trouble, seen) {
      const { signal, banned, fragile, comesAndGoes } = seen
      if (signal.kind === 'hopeless') return signal.of
      if (signal.kind === 'blocked') return banned ? 'blocked' : undefined
      if (signal.kind === 'refused') return isBlackout(trouble, seen) ? 'refused' : undefined
      const isFailure = signal.kind === 'failure' || signal.kind === 'error'
      const inRow = fragile ? Math.min(failures, FRAGILE_FAILURES) : failures
      const outOfTheBlue = Math.max(Math.min(inRow, FRAGILE_FAILURES), inRow * (comesAndGoes ? BLUE_AGAIN_SHARE : BLUE_SHARE))
      return isFailure && isFailing(trouble, inRow, outOfTheBlue) ? 'failing' : undefined
    },
  }
}

function isBlackout({ refused, refusedSince }: RecentTrouble, { now }: Sighting): boolean {
  return refused >= REFUSALS || (refused >= BLACKOUT_REFUSALS && now - refusedSince >= BLACKOUT_MS)
}

function isFailing(trouble: RecentTrouble, inRow: number, outOfTheBlue: number): boolean {
  const { outcomes, failureRatio } = recentOutcomes(trouble)
  const tooMany = outcomes >= LEAST_OUTCOMES && failureRatio >= FAILURE_RATIO
  return trouble.inRow >= inRow || tooMany || (failureRatio === 1 && trouble.inRow >= outOfTheBlue)
}
