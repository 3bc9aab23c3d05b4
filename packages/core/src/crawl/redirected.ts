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
export type Redirected = { readonly kind: 'again'; readonly leased: Leased } | { readonly kind: 'turn'; readonly turn: TurnDraft }

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
  const target = discoveries.ofRedirect(redirect.url, redirect.leased, run.request)
  const moved = bareTurn(run.host, run.request, { kind: 'moved', target: redirect.url, fetched })
  const links = typeof target === 'string' ? { refusedLinks: 1 } : { links: [target] }
  return { kind: 'turn', turn: { ...moved, offered: 1, ...links } }
}
