// How long a proxy that fails is left alone: a second, doubling to ten minutes; then one request feels for it. Pure.
//
// A host that met its failure rests as well, 1 s doubling to a minute (core). Where it may use another proxy, this one rests twice as long, so that the host
// comes back to the other one, not to the same again.
//
// Hosts are told of a minute at most: what they are told is in the store, and the next run, with a proxy that was mended, would wait for it. That a crawl with
// nothing but dead proxies ends is up to core, which sees all exchanges. What began before the last failure says nothing about the proxy since.

/** A proxy in trouble. Moments are epoch ms. */
export interface ProxyTrouble {
  /** In a row, not counting what was in flight when it last failed. */
  readonly failures: number
  readonly failingSince: number
  /** When it last failed: what began before that is old news. */
  readonly failedAt: number
  readonly restsUntil: number
  /** Why, as reports have it: `proxy-unreachable`. */
  readonly why: string
  /** The exchange that feels for it, and until when it may take. */
  readonly trial?: { readonly by: string; readonly until: number }
}

const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 600_000
const LONGEST_HOLD_MS = 60_000
/** How soon to ask again while a trial is in flight. */
const TRIAL_AGAIN_MS = 1_000

/** When it may be used, as far as is known at `now`: 0 = at once. */
export function usableAt(trouble: ProxyTrouble | undefined, now: number): number {
  if (trouble === undefined) return 0
  if (trouble.restsUntil > now) return trouble.restsUntil
  return trouble.trial !== undefined && trouble.trial.until > now ? Math.min(trouble.trial.until, now + TRIAL_AGAIN_MS) : 0
}

/** When a host that is told at `now` to wait until `at` asks again. */
export function holdUntil(at: number, now: number): number {
  return Math.min(at, now + LONGEST_HOLD_MS)
}

interface FailedProxy {
  /** When the exchange was booked in which it failed. */
  readonly since: number
  readonly now: number
  readonly why: string
  /** Whether its host may use another one. */
  readonly hasOther?: boolean
}

/** It failed. */
export function failedNow(trouble: ProxyTrouble | undefined, { since, now, why, hasOther = false }: FailedProxy): ProxyTrouble {
  if (trouble !== undefined && since < trouble.failedAt) return trouble
  const failures = (trouble?.failures ?? 0) + 1
  const failingSince = trouble?.failingSince ?? now
  const restMs = Math.min(LONGEST_REST_MS, (hasOther ? 2 : 1) * FIRST_REST_MS * 2 ** (failures - 1))
  return { failures, failingSince, failedAt: now, restsUntil: now + restMs, why }
}

/** It brought an answer in an exchange that was booked at `since`. */
export function answeredNow(trouble: ProxyTrouble, since: number): ProxyTrouble | undefined {
  return since < trouble.failedAt ? trouble : undefined
}

/** An exchange feels for it, until `until` at most. */
export function triedBy(trouble: ProxyTrouble, by: string, until: number): ProxyTrouble {
  return { ...trouble, trial: { by, until } }
}

/** The exchange `by` is over, and says nothing about the proxy. */
export function triedInVain({ trial, ...trouble }: ProxyTrouble, by: string): ProxyTrouble {
  return trial === undefined || trial.by === by ? trouble : { ...trouble, trial }
}
