// What the breaker remembers of a host: the circuit and its phases, as plain JSON with moments.
import type { OutageLengths } from './cool-down.ts'
import type { TripKind } from './trip-law.ts'
import type { RecentTrouble } from './trouble.ts'

/** What opened it. `word` is the plain reason, such as `connect-refused`. */
interface Trip {
  readonly kind: TripKind
  readonly word: string
}

/** A host that is down, by its last words. Times are epoch ms. */
export interface Down {
  /** Probes in vain; after a ban also those of the bans before. */
  readonly level: number
  /** When it first opened without having been fully back since. */
  readonly since: number
  /** The last success since then, if it was back for a moment. */
  readonly aliveAt?: number
  /** When it last failed. */
  readonly failedAt: number
  readonly trip: Trip
}

/** It has just closed again: how many may be in flight, and the outage, in case it is not over. */
interface Reentry {
  readonly most: number
  readonly downSince: number
  readonly downMs?: number
}

/** Times are epoch ms. */
export type CircuitPhase =
  /** `level` of bans as of `since`, when it closed. */
  | ({ readonly kind: 'closed'; readonly level: number; readonly since: number } & Partial<Reentry>)
  | ({ readonly kind: 'open'; readonly until: number } & Down)
  /** `backAt`: the first of the successes. */
  | ({ readonly kind: 'half-open'; readonly successes: number; readonly backAt?: number } & Down)
  | { readonly kind: 'given-up'; readonly level: number; readonly since: number; readonly at: number; readonly trip: Trip }

/** Memory of one host. */
export interface Circuit {
  readonly phase: CircuitPhase
  /** Last exchange that was booked before the last change. */
  readonly changedAtSeq: number
  /** Absent while the host is well. */
  readonly trouble?: RecentTrouble
  /** How long its outages last; absent before the first is over. */
  readonly outages?: OutageLengths
}

/** Of a host that was never met. */
export const FRESH_CIRCUIT: Circuit = { phase: { kind: 'closed', level: 0, since: 0 }, changedAtSeq: 0 }
