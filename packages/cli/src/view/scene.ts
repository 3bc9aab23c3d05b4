// All that one frame of the live view shows, as data: made by the watcher, drawn by pure functions.
import type { Explanation } from '@avocet/core/tools'
import type { IndexedHost, JudgedHosts } from '../store/host-index.ts'
import type { Glance } from './pace.ts'

/** One host of the table. */
export interface HostRow {
  readonly hostKey: string
  /** What it is like, as its store was read last, and why. */
  readonly state: IndexedHost['state']
  readonly why: string
  /** Requests per second that its policy has found to be right; absent when no policy learns one. */
  readonly foundRps?: number
  readonly waiting: number
  readonly hold?: Explanation['heldFor']
}

/** A kind of trouble, and how often it came. */
export interface TroubleCount {
  readonly kind: string
  readonly count: number
}

/** One moment of a crawl. */
export interface Scene {
  /** Those of this command that crawl now, where it has several. */
  readonly processes?: number
  readonly glance: Glance
  /**
   * Of this run (failures of several processes: of all runs), most frequent first: reasons of failed requests; exchanges and handlers that went wrong, also
   * where they are tried again.
   */
  readonly failures: readonly TroubleCount[]
  readonly troubles: readonly TroubleCount[]
  /** Refusals of this run. */
  readonly refusals: number
  /** Hosts with something waiting that this process has given back to the store until later; without those that operators have paused. */
  readonly parkedHosts: number
  /** What holds those that were given back with something waiting, also those that operators have paused. */
  readonly parkedHolds: Explanation['holds']
  /** Hosts that nothing is sent to until a known time, and the first of them to resume. */
  readonly heldHosts: number
  readonly firstHeld?: { readonly hostKey: string; readonly hold: Explanation['holds'][number] }
  /** All hosts of the store by what they are like. Absent: not read. */
  readonly judged?: JudgedHosts
  /** Hosts with something to do. */
  readonly workingHosts: number
  /** At most as many as were asked for, in the order of the table. */
  readonly rows: readonly HostRow[]
}
