// The result of an exchange, once it has ended and its plugins have voted. Pure.
import { failure, reasonOf, type Failure } from '../ports/failure.ts'
import type { Outcome } from '../ports/frontier.ts'
import { isRedirect, type Response } from '../ports/response.ts'
import { CONDITION_REFUSED, refusesCondition } from '../run/conditional.ts'
import { PAYMENT_REQUIRED } from '../laws/statuses.ts'
import { type Verdict, fetchedOf } from '../ports/exchange.ts'
import type { Closing } from './close.ts'
import type { ExchangeEnd, LiveExchange, PutOff } from './live-exchange.ts'

/** The result. */
export type Judgement =
  /** The spider wants it. */
  | { readonly kind: 'page'; readonly response: Response }
  | { readonly kind: 'redirect'; readonly response: Response }
  /** For the plugin that required it: the document, or why there is none. */
  | { readonly kind: 'document'; readonly result: Response | Failure }
  | { readonly kind: 'retry' | 'failed'; readonly outcome: Outcome }
  /** As if it had not been: its request goes back to the queue. */
  | { readonly kind: 'unsent' }

/** Judges an exchange that ended at `now`. */
export function judge(exchange: LiveExchange, end: ExchangeEnd, closing: Closing, now: number): Judgement {
  const { required } = exchange
  const { response, cause, threw, verdict, isInsisted = false } = closing
  if (end.kind === 'recalled') return { kind: 'unsent' }
  if (end.kind === 'put-off') return required ? withoutDocument(exchange, end.verdict) : putOff(end.verdict)
  if (response === undefined) return cause === undefined ? { kind: 'unsent' } : trouble(exchange, closing, { cause, now })
  if (required) return { kind: 'document', result: response }
  if (threw !== undefined) return failed(exchange, threw, { now, response })
  if (!isInsisted && exchange.isPage(response) && verdict.kind === 'accept') return { kind: 'page', response }
  if (!isInsisted && isRedirect(response)) return { kind: 'redirect', response }
  const fetched = fetchedOf(exchange, now, response)
  const outcome = { kind: 'failed', reason: `http-${response.status}`, fetched } as const
  if (isInsisted) return verdict.kind === 'retry' && verdict.at <= now ? { kind: 'unsent' } : byVerdict(verdict, outcome)
  if (verdict.kind === 'accept' && refusesCondition(exchange.request, response.status))
    return { kind: 'retry', outcome: { kind: 'retry', at: now, counted: true, reason: CONDITION_REFUSED, fetched } }
  if (response.status === PAYMENT_REQUIRED && verdict.kind === 'retry') return { kind: 'failed', outcome }
  return byVerdict(verdict, outcome)
}

/** Of one that failed. */
function trouble(exchange: LiveExchange, closing: Closing, { cause, now }: { cause: Failure; now: number }): Judgement {
  if (exchange.required) return { kind: 'document', result: cause }
  if (closing.threw !== undefined) return failed(exchange, closing.threw, { now })
  const fetched = fetchedOf(exchange, now, undefined, cause)
  return byVerdict(closing.verdict, { kind: 'failed', reason: reasonOf(cause.code), failure: cause, fetched })
}

/** A plugin threw in the hook of its end. */
function failed(exchange: LiveExchange, threw: Failure, { now, response }: { now: number; response?: Response }): Judgement {
  const fetched = fetchedOf(exchange, now, response, threw)
  return { kind: 'failed', outcome: { kind: 'failed', reason: reasonOf(threw.code), failure: threw, fetched } }
}

/** What plugins voted for; `otherwise`, where none did. */
function byVerdict(verdict: Verdict, otherwise: Outcome & { readonly kind: 'failed' }): Judgement {
  const { fetched } = otherwise
  if (verdict.kind === 'retry') return { kind: 'retry', outcome: { ...verdict, ...(fetched && { fetched }) } }
  if (verdict.kind === 'drop') return { kind: 'failed', outcome: { ...otherwise, reason: verdict.reason } }
  return { kind: 'failed', outcome: otherwise }
}

/** One plugin requires a document, and another has it wait, or drops it: then it would be required again at once, for ever. */
function withoutDocument({ request }: LiveExchange, verdict: PutOff): Judgement {
  if (verdict.kind !== 'drop') return { kind: 'unsent' }
  const message = `a plugin requires ${request.shownUrl ?? request.url}, and another drops it (${verdict.reason}): let one of them go`
  return { kind: 'document', result: failure('AVO_PLUGIN_CONFLICT', message) }
}

/** It was not sent. */
function putOff(verdict: PutOff): Judgement {
  if (verdict.kind === 'retry') return { kind: 'retry', outcome: { ...verdict, counted: false } }
  return { kind: 'failed', outcome: { kind: 'failed', reason: verdict.reason } }
}
