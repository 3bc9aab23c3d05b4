// From a redirect to a turn: the request settles as moved, its target is a discovery like any other.
import type { Leased } from '../request.ts'
import type { Response } from '../response.ts'
import type { Discoveries } from './discovery.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { fetchedOf, reasonOf } from './outcome.ts'
import { readRedirect } from './redirect.ts'
import { bareTurn, type TurnDraft } from './turn-draft.ts'

/** The turn of a redirect. */
export function settleRedirect(
  run: ExchangeRun,
  leased: Leased,
  { response, discoveries, now }: { response: Response; discoveries: Discoveries; now: number },
): TurnDraft {
  const fetched = fetchedOf(run, now, response)
  const redirect = readRedirect(leased, response)
  if (redirect.kind === 'failed') {
    return bareTurn(run.host, run.request, {
      kind: 'failed',
      reason: reasonOf(redirect.failure.code),
      failure: redirect.failure,
      fetched,
    })
  }
  if (redirect.kind === 'self')
    return bareTurn(run.host, run.request, { kind: 'retry', at: now, counted: false, reason: 'redirect-self', fetched })
  const target = discoveries.ofRedirect(redirect.url, redirect.leased, run.request)
  const moved = bareTurn(run.host, run.request, { kind: 'moved', target: redirect.url, fetched })
  return typeof target === 'string' ? { ...moved, offered: 1, refusedLinks: 1 } : { ...moved, offered: 1, links: [target] }
}
