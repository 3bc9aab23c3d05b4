// From a redirect to what comes of it: the same request again, spelled otherwise; or a turn, in which the request settles as moved and its target is a
// discovery like any other.
import type { Leased } from '../request.ts'
import type { Response } from '../response.ts'
import type { Discoveries } from './discovery.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { fetchedOf, reasonOf } from './outcome.ts'
import { readRedirect } from './redirect.ts'
import type { SpellingChains } from './spelling-chains.ts'
import { bareTurn, type TurnDraft } from './turn-draft.ts'

/** What comes of a redirect. */
export type Redirected =
  | { readonly kind: 'again'; readonly leased: Leased }
  /** `lost`: a seed, or what it redirects to, leads out of the scope; `refusal`: not even that one URL is asked for. */
  | {
      readonly kind: 'turn'
      readonly turn: TurnDraft
      readonly lost?: { readonly target: string; readonly refusal: string | undefined }
    }

/** Follows a redirect. */
export function followRedirect(
  run: ExchangeRun,
  leased: Leased,
  found: {
    readonly response: Response
    readonly discoveries: Discoveries
    readonly chains: SpellingChains
    readonly now: number
  },
): Redirected {
  const { response, discoveries, chains, now } = found
  const fetched = fetchedOf(run, now, response)
  const redirect = readRedirect(leased, response, chains.of(leased))
  if (redirect.kind === 'again') return { kind: 'again', leased: chains.follow(leased, redirect.url) }
  if (redirect.kind === 'failed') {
    const { failure } = redirect
    const outcome = { kind: 'failed', reason: reasonOf(failure.code), failure, fetched } as const
    return { kind: 'turn', turn: bareTurn(run.host, run.request, outcome) }
  }
  const target = redirect.url
  const { request, refusal, isElsewhere } = discoveries.ofRedirect(target, redirect.leased, run.request)
  const moved = bareTurn(run.host, run.request, { kind: 'moved', target, fetched })
  const turn = { ...moved, offered: 1, ...(request ? { links: [request] } : { refusedLinks: 1 }) }
  const isLost = isElsewhere || (refusal !== undefined && leased.depth === 0)
  return { kind: 'turn', turn, ...(isLost && { lost: { target, refusal } }) }
}
