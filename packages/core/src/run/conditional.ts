// Conditional requests (RFC 9110 §13): a page that is visited again is asked for only if it differs from the last time.
//
// Some servers answer a condition with an error. Such a page is requested once more without, in the same run and in all later ones: in place of its ETag,
// which is never empty, the store keeps an empty one.
import { hash } from 'node:crypto'
import type { Outcome } from '../ports/frontier.ts'
import type { Leased, Request, Validators } from '../ports/request.ts'
import { headerOf, type Response } from '../ports/response.ts'

/** In place of an ETag: the server refuses conditional requests for the page. */
const REFUSED = ''

/** Validators, known or not. */
type Known = Readonly<Record<keyof Validators, string | undefined>>

/** Reason of the attempt without. */
export const CONDITION_REFUSED = 'condition-refused'
/** Statuses by which servers refuse them. RFC 9110 §13.1 allows neither for a GET. */
const REFUSALS = new Set([400, 412])

/** Header fields of a request for the page only if it differs from the last time (RFC 9110 §13.1). */
export function conditionsOf({ earlier, method }: Request): Readonly<Record<string, string>> {
  if (earlier === undefined || method !== 'GET' || earlier.etag === REFUSED) return {}
  const { etag, lastModified } = earlier
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  }
}

/** Whether this answer may be to the condition of the request: it is worth asking without. */
export function refusesCondition(request: Request, status: number): boolean {
  return REFUSALS.has(status) && Object.keys(conditionsOf(request)).length > 0
}

/** Whether this answer says that the page is as it was. An unrequested 304 says nothing. */
export function isUnchanged(request: Request, status: number): boolean {
  return status === 304 && Object.keys(conditionsOf(request)).length > 0
}

/** What the next visit of a page asks with. */
export function validatorsAfter(request: Request, response: Response): Validators {
  const { earlier } = request
  // A 304 may bring newer validators of the same body (RFC 9110 §15.4.5).
  if (isUnchanged(request, response.status)) return validators({ ...earlier, ...validators(sentIn(response)) })
  const bodyHash = hash('sha1', response.body, 'hex').slice(0, 16)
  return earlier?.etag === REFUSED ? { etag: REFUSED, bodyHash } : validators({ ...sentIn(response), bodyHash })
}

/** What becomes of the conditions of requests that brought no page. */
export class Conditions {
  /** Ids of requests whose condition was refused, until they are handed out again. */
  readonly #refused = new Set<number>()

  /**
   * The same outcome. The next visit of a page that failed or moved asks with what is known of it, unless it is gone: once it is there it is news. A refusal is
   * forgotten: without, it failed as well.
   */
  after({ id, earlier }: Request, outcome: Outcome): Outcome {
    if (outcome.kind === 'retry' && outcome.reason === CONDITION_REFUSED) this.#refused.add(id)
    if ((outcome.kind !== 'failed' && outcome.kind !== 'moved') || !outcome.again || outcome.gone) return outcome
    const { etag, lastModified, bodyHash } = earlier ?? {}
    const known = validators({ etag: etag === REFUSED ? undefined : etag, lastModified, bodyHash })
    return { ...outcome, again: { ...outcome.again, ...known } }
  }

  /** A request that is handed out, without a condition if that was refused. */
  withoutRefused(request: Leased): Leased {
    if (request.earlier === undefined || !this.#refused.delete(request.id)) return request
    const { lastModified: _refused, ...earlier } = request.earlier
    return { ...request, earlier: { ...earlier, etag: REFUSED } }
  }
}

/** As the server sent them. */
function sentIn({ headers }: Response): Partial<Known> {
  return { etag: headerOf(headers, 'etag'), lastModified: headerOf(headers, 'last-modified') }
}

/** Those of them that are known, and nothing else. */
function validators({ etag, lastModified, bodyHash }: Partial<Known>): Validators {
  const all = Object.entries({ etag, lastModified, bodyHash })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}
