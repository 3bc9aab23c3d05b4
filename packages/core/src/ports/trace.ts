// The trace of a crawl: what happened to each exchange and to each host, as plain data, for those who look on and decide nothing.
import type { Exchange, Verdict } from './exchange.ts'
import type { Failure } from './failure.ts'
import type { TimeLimits } from './fetcher.ts'
import type { Outcome } from './frontier.ts'
import type { Hold, HostStatus, PausedBy } from './report.ts'
import type { Request } from './request.ts'
import type { Response, ResponseHead } from './response.ts'

/** Which exchange an event is about. */
export interface TracedExchange {
  /** The same in all its events, and never again at this store: host and number. */
  readonly id: string
  readonly hostKey: string
  /** Number of the exchange at its host. */
  readonly seq: number
  readonly request: Request
  /** A document that a plugin required, such as robots.txt. */
  readonly required: boolean
  /** Epoch ms. */
  readonly bookedAt: number
  /** URL of the proxy that it goes through, without credentials; absent where there is none, and before it has begun. */
  readonly proxy?: string
}

/** What plugins voted for, and the plugin whose vote counted. `by` is absent where nobody voted, or where no vote counts. */
export interface TracedVerdict {
  readonly verdict: Verdict
  readonly by?: string
}

/**
 * What can happen. Of each exchange: `booked`, then `begun` (the fetcher has it), `sent` and `head` as far as it got, and exactly one of `answered`, `failed`
 * and `unsent`. Of each host: `leased`, `held` whenever what holds it changes, `retired`, `released`. Of each request: `handled` or `handler-failed`,
 * `committed`.
 * Of the crawl: `paused`, `resumed`, `problem`.
 */
type TracedFact =
  /** It has a slot, and the plugins have booked it. */
  | { readonly kind: 'booked'; readonly exchange: TracedExchange }
  /**
   * `headers` as they go out: the crawl's own `headers` in clear, references in place of all other secrets. `limits` as the plugins have tightened them.
   */
  | {
      readonly kind: 'begun'
      readonly exchange: TracedExchange
      readonly headers: Readonly<Record<string, string>>
      readonly limits: TimeLimits
    }
  /** Its first byte is being written. */
  | { readonly kind: 'sent'; readonly exchange: TracedExchange }
  | { readonly kind: 'head'; readonly exchange: TracedExchange; readonly head: ResponseHead }
  /** The response is here, body included: a listener that keeps it keeps its memory. */
  | ({ readonly kind: 'answered'; readonly exchange: TracedExchange; readonly response: Response } & TracedVerdict)
  /** `failure` says which phase, and whose fault. */
  | ({ readonly kind: 'failed'; readonly exchange: TracedExchange; readonly failure: Failure } & TracedVerdict)
  /**
   * Nothing of it counts: recalled, put off by a plugin (`verdict`), answered by a plugin (`response`), or failed by a fault that is not the host's
   * (`failure`).
   */
  | ({
      readonly kind: 'unsent'
      readonly exchange: TracedExchange
      readonly response?: Response
      readonly failure?: Failure
    } & TracedVerdict)
  /** The page's handler is through, with so many items that `onItem` let pass, and links. */
  | { readonly kind: 'handled'; readonly request: Request; readonly items: number; readonly links: number }
  /** The page's handler threw, took too long, or yielded what is neither item nor link. */
  | ({ readonly kind: 'handler-failed'; readonly request: Request; readonly failure: Failure } & TracedVerdict)
  /** Its outcome is in the store, with so many items, and links that were new. */
  | {
      readonly kind: 'committed'
      readonly request: Request
      readonly outcome: Outcome
      readonly items: number
      readonly added: number
    }
  /** This process holds the host. */
  | { readonly kind: 'leased'; readonly hostKey: string }
  /** Absent `hold`: nothing holds it any more. */
  | { readonly kind: 'held'; readonly hostKey: string; readonly hold?: Hold }
  /** It is given up, or was probed in vain. `probeAt`: epoch ms of the next probe; absent: in a later run. */
  | { readonly kind: 'retired'; readonly hostKey: string; readonly reason: string; readonly probeAt?: number }
  /** It went back to the store, as it is in `host`. `dueAt`: epoch ms at which something of it can be asked for; in the past when at once. */
  | { readonly kind: 'released'; readonly hostKey: string; readonly host: HostStatus; readonly dueAt: number }
  /** Nothing begins in the whole crawl: it is held by its user, an operator, the store or this machine. Told again when another of them holds it. */
  | { readonly kind: 'paused'; readonly by: PausedBy; readonly why: string }
  | { readonly kind: 'resumed' }
  /**
   * A person should know of it, such as of a network that is down or a plugin that throws: what is wrong, and what to do. Told again only when it did not come
   * up for an hour. `isInformation`: nothing is wrong, and reports do not count it.
   */
  | { readonly kind: 'problem'; readonly message: string; readonly isInformation?: true }

/** One event. `at`: epoch ms. */
export type TraceEvent = TracedFact & { readonly at: number }

/** Something that a person should know of. */
export type Problem = Extract<TraceEvent, { readonly kind: 'problem' }>

/** An exchange as events have it. */
export function traced({ host, seq, request, required, proxy, admittedAt: bookedAt }: Exchange): TracedExchange {
  const { shownUrl = request.url } = request
  const shown = shownUrl === request.url ? request : { ...request, url: shownUrl }
  return {
    id: `${host.key} ${seq}`,
    hostKey: host.key,
    seq,
    request: shown,
    required,
    bookedAt,
    ...(proxy !== undefined && { proxy }),
  }
}
