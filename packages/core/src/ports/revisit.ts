// Whether a page is visited again: what plugins are asked, and what they say when a crawl opens.
import type { HostView } from './exchange.ts'
import type { RequestRecord } from './frontier-reader.ts'
import type { Outcome } from './frontier.ts'
import type { Missing, Request } from './request.ts'

/** A page that is about to be settled. Without a vote it is settled for good. */
export interface Revisit {
  /** What was requested: `request.earlier` has what is known of earlier visits. */
  readonly request: Request
  /** What is about to be committed. A page that is as it was (304) is `done` for the reason `unchanged`. */
  readonly outcome: Exclude<Outcome, { readonly kind: 'retry' }>
  /** Of the request. */
  readonly host: HostView
  /** Epoch ms at which this visit was due; of a first one, at which it was sent. */
  readonly dueAt: number
  /** Epoch ms. */
  readonly now: number
  /**
   * It is visited again at `at` (epoch ms); the earliest counts. `skipped`: rounds that were left out. `missing`: how long it
   * has been missing. `everyMs`: the round that it counts in.
   */
  again(at: number, known?: { readonly skipped?: number; readonly missing?: Missing; readonly everyMs?: number }): void
  /**
   * It is believed to be gone, and visited again only where a plugin votes for that. One plugin is enough, unless another says
   * `keep`.
   */
  gone(): void
  /** There is a doubt: whoever says so, it is not believed to be gone yet. */
  keep(): void
}

/** How pages are visited again: see `Session.revisits`. */
export interface RevisitPlan {
  /** Text that is the same for the same rules. Where it has changed, `dueAt` is asked of all that is settled. */
  readonly rules: string
  /** Epoch ms at which a settled request is due again, such as `notBefore` to leave that as it is; undefined: never. Pure. */
  dueAt(record: RequestRecord): number | undefined
  /** A link or a seed says that a page was modified. Whether the plugin sees to it: otherwise it is visited at once. */
  modified?(page: { readonly url: string; readonly hostKey: string; readonly modifiedAt: number }): boolean
  /** Interval at which a function of seeds is called again, in ms. Default: never. */
  readonly seedsEveryMs?: number
}
