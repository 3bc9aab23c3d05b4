// What is learned of a host and its pages. Moments are hours since the epoch.
import { noBursts, type Bursts } from './burst.ts'
import type { Prior, Seen } from './change-rate.ts'
import { NO_SIGNS, type Signs } from './signs.ts'

/** What is known of a page. */
export interface PageState extends Seen {
  readonly id: number
  /** 24 bits of its URL, by which signs are told. */
  readonly url: number
  /** Number of its handler. */
  readonly kind: number
  /** Its last visit, hours since the epoch. */
  at: number
  /** Of what it said then. */
  digest: number
  /** Something said since then that it has changed. */
  signed?: boolean
  /** Woken, and not visited yet. */
  awake?: boolean
  /** Its last visit was one of those at once. */
  swept?: boolean
}

/** What is known of a host. Plain JSON; moments are hours since the epoch. */
export interface HostLearning {
  /** Handlers, by number. */
  kinds: { readonly name: string; prior: Prior }[]
  bursts: Bursts
  signs: Signs
  price: number
  /** Visits since the rates were fitted. */
  sinceFit: number
  /** Visits that were made at once, less those that they took the place of. */
  extra: number
  /** Visits that were not the first of their page. */
  learned: number
  /** Visits above the budget, as of `owedAt`. */
  owed: number
  owedAt: number
}

/** A host that was never visited. */
export function newHost(now: number): HostLearning {
  return {
    kinds: [],
    bursts: noBursts(now),
    signs: { ...NO_SIGNS },
    price: 0,
    sinceFit: 0,
    extra: 0,
    learned: 0,
    owed: 0,
    owedAt: now,
  }
}
