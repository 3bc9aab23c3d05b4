// What a trip law is, and the two simplest: whether a host in trouble is to be left alone. Pure: the record, the last signal → the kind of trip, or none.
//
// Around every law stands the same circuit (circuit.ts), which no law repeats: how long it stays open, one probe at a time, two successes to close,
// and that what was sent before a change says nothing about it.
import type { Signal } from './signal.ts'
import type { RecentTrouble } from './trouble.ts'

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
