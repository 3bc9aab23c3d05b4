// What becomes of a page whose turn the store would not take.
import { AvocetError } from '../errors.ts'
import type { Tally } from '../run/tally.ts'
import { bareTurn, type TurnDraft } from '../store/turn-draft.ts'

/**
 * Settles the page as failed instead, without its links and items; a store that does not take even that ends the crawl. For a page that is read again
 * that is its failure: it is done, as it was, with what waits.
 */
export function rejected(
  { host, request, outcome }: TurnDraft,
  error = 'it gave no reason',
  parts: { readonly tally: Tally; turn(draft: TurnDraft): void; failed(error: AvocetError): void },
): void {
  parts.tally.problem(`the store refused a turn of ${request?.url ?? host.key}: ${error}`)
  if (!request) return
  const isFailure =
    outcome?.kind === 'failed'
      ? outcome.reason === 'turn-rejected'
      : outcome?.kind === 'done' && outcome.cut !== undefined && outcome.cut === request.cut
  if (isFailure)
    return parts.failed(new AvocetError('AVO_INTERNAL', `the store refused even the failure of ${request.url}: ${error}`))
  host.unsettled++
  parts.turn(bareTurn(host, request, { kind: 'failed', reason: 'turn-rejected' }))
}
