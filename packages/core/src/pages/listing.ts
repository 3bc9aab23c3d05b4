// What a document of a plugin may add, and what it must not yield. What a site lists itself is no trap: it has a budget of its own, by its host.
//
// What is beyond that is left out for good, and counted: a list is read again anyway, and then what is known takes nothing of the budget.
import { listedLeft, type DiscoveryLimits } from '../discovery-limits.ts'
import type { DocumentHandler } from '../document-handler.ts'
import { failure } from '../failure.ts'
import type { GivingHost } from '../traps/host-gains.ts'
import type { HandlerResult } from './yields.ts'

/** What links of a document may lead to. */
export interface ListingGate {
  mayAdd(): number
  refusal(): undefined
}

/** The gate of a document on `host`; `isDiskLow`: nothing may be added. */
export function listingGate(host: GivingHost, limits: DiscoveryLimits, isDiskLow: boolean): ListingGate {
  return { mayAdd: () => (isDiskLow ? 0 : listedLeft(host.core.gave ?? {}, limits)), refusal: () => undefined }
}

/** The same result, unless there are items in it and the document has no records: then its handler failed. */
export function withoutItems(
  result: HandlerResult,
  handler: string,
  { records = false }: Pick<DocumentHandler, 'records'>,
): HandlerResult {
  if (result.kind === 'failed' || result.items.length === 0 || records) return result
  const message = `expected handler ${handler} of a plugin to yield links, got an item; items are for handlers of the spider`
  return { kind: 'failed', failure: failure('AVO_HANDLER_YIELD_INVALID', message, { phase: 'handler', sent: true }) }
}

/** What is to be said of a document that lists more than its host may add. */
export function listedTooMuch(url: string, hostKey: string, { maxListedUrlsPerHost: most }: DiscoveryLimits): string {
  return `${url} lists more new URLs than documents of ${hostKey} may add (${most}): the others are left out; raise discoveryLimits.maxListedUrlsPerHost`
}
