// What a process knows of its hosts that no store has, as data: for a page of its own, or for the one that its supervisor serves.
import type { ExchangeLine } from '@avocet/dashboard'
import type { Explanation, Hold, HostStatus } from '@avocet/core/tools'

/** A host that a process holds. */
export type HostAtWork = Pick<HostStatus, 'hostKey' | 'waiting' | 'answered' | 'inFlight' | 'hold'>

/** What holds a host that was given back with something waiting. */
export interface ParkedHold {
  readonly hostKey: string
  readonly hold: Hold
}

/** All of them. */
export interface LiveHosts {
  readonly atWork: readonly HostAtWork[]
  readonly parked: readonly ParkedHold[]
}

/** What the row of a host shows beside that. */
export interface LiveRow {
  /** What its policies have found. Absent where this process does not hold it. */
  readonly found?: FoundByPolicies
  /** Answers of the last three minutes, oldest first: good, bad, good, bad, … */
  readonly recent: readonly number[]
}

/** Requests per second, and the state of its breaker; null where no policy says. */
export interface FoundByPolicies {
  readonly foundRps: number | null
  readonly breaker: string | null
}

/** One host, looked at closely. */
export interface LiveCloseUp {
  /** Absent where this process does not hold it. */
  readonly explained?: Explanation
  /** Its last exchanges, the youngest first. */
  readonly exchanges: readonly ExchangeLine[]
  /** All that are remembered, in stretches of time, oldest first. */
  readonly stretches: readonly HostStretch[]
}

/** Exchanges of a host in one stretch of time. */
export interface HostStretch {
  /** When it begins, epoch ms. */
  readonly at: number
  readonly requests: number
  readonly refusals: number
  /** Ms to the first byte of each answer: one by one, so that those of several processes can be put together. */
  readonly firstByteMs: readonly number[]
}
