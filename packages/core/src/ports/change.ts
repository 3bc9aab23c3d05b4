// What somebody wants of requests and hosts that a frontier knows: that they are crawled again, or never.
import type { HeldFate } from './watch.ts'

/** Proof of holding a host. A commit under an epoch that is no longer the host's is fenced. */
export interface LeaseToken {
  readonly hostKey: string
  readonly epoch: number
}

/** What somebody wants of requests and hosts that are known. */
export type StoreChange =
  /**
   * Failed requests wait again at once, also those that are due again later, with no attempts behind them; what is known of their last fetch stays. Those
   * of a host that was given up wait until it is revived.
   */
  | ({ readonly kind: 'reopen'; readonly reasons?: readonly string[] } & Which)
  /**
   * Given-up requests are failed for `dropped-` and their reason: they are listed, and retried, no more. Those that wait under a host
   * that was given up are settled, for `dropped-host-dead`. What was dropped already is left alone. History and items stay, blame and the error of a handler
   * go. A request stays known: only `reopen`, and a link or a seed with `again`, have it requested.
   */
  | ({ readonly kind: 'drop' } & Which &
      /** Failed requests that are not due again, with any of `reasons`. */
      (
        | { readonly reasons?: readonly string[]; readonly underRetired?: undefined }
        /** Those that wait under hosts that were given up, and that nobody holds. */
        | { readonly underRetired: true; readonly reasons?: undefined }
      ))
  /** Settled requests are due again at `at`, or, where it is absent, are not. Others are left alone. */
  | { readonly kind: 'revisit'; readonly wanted: readonly { readonly id: number; readonly at?: number }[] }
  /** A retired host is back; its holder keeps it. `by`: only while this lease holds the host. */
  | { readonly kind: 'revive'; readonly hostKey: string; readonly by?: LeaseToken }
  /** Retired hosts whose probe is set for `from` or later are probed at `now`. A retired host without a moment counts as one of Infinity. */
  | { readonly kind: 'probe-retired'; readonly from: number; readonly now: number }

  /** What becomes of all that is held of a host. It may be several transactions: a kill leaves the rest held. */
  | { readonly kind: 'settle-held'; readonly hostKey: string; readonly to: HeldFate }

/** A change of one kind. */
export type ChangeOf<Kind extends StoreChange['kind']> = Extract<StoreChange, { readonly kind: Kind }>

/** Which requests: at most `limit`, the oldest first. What is absent does not narrow; what is there must all hold. */
interface Which {
  readonly hostKey?: string
  readonly ids?: readonly number[]
  readonly limit: number
}
