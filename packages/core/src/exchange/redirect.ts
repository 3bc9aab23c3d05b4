// Reads a redirect: where it leads, or why it leads nowhere. Pure.
import type { FailureCode } from '../errors.ts'
import { failure, type Failure } from '../failure.ts'
import type { Leased } from '../request.ts'
import { locationOf } from '../url/location-of.ts'
import type { ResponseHead } from '../response.ts'
import { canonicalUrl, parseUrl } from '../url/canonicalize.ts'
import type { SpellingChain } from './spelling-chains.ts'

const MAX_HOPS = 10
/** A URL that redirects to its own text, once it has set its cookies, is asked again so often. */
const MAX_SELF_REDIRECTS = 2

/** Whether this is a redirect that is followed. 300 and 304 are not. Source: RFC 9110 §15.4. */
export function isRedirect({ status, headers }: ResponseHead): boolean {
  return (
    (status === 301 || status === 302 || status === 303 || status === 307 || status === 308) && headers['location'] !== undefined
  )
}

/** Where a redirect leads. */
export type Redirect =
  | { readonly kind: 'target'; readonly leased: Leased; readonly url: string }
  /** The same request again, as `url` is spelled. */
  | { readonly kind: 'again'; readonly url: string }
  | { readonly kind: 'failed'; readonly failure: Failure }

/**
 * Reads the redirect `head` of `leased`, of which `chain` says what was asked for so far.
 *
 * Another spelling of the same canonical URL is the same request again. A loop is a text that was asked for before.
 * `target.leased` is the request to make of the target: 303, and 301 and 302 after a POST, turn into a GET without a body
 * (RFC 9110 §15.4.2 to §15.4.4); 307 and 308 keep both.
 */
export function readRedirect(leased: Leased, head: ResponseHead, chain: SpellingChain): Redirect {
  const location = locationOf(head.headers)
  const url = parseUrl(location, leased.url)
  if (url === undefined) {
    return failed('AVO_REDIRECT_TARGET', `expected an http(s) URL in Location, got ${JSON.stringify(location.slice(0, 200))}`)
  }
  const method = leased.method ?? 'GET'
  const becomesGet = method !== 'HEAD' && (head.status === 303 || (method === 'POST' && head.status <= 302))
  const isSame = canonicalUrl(url) === canonicalUrl(leased.url) && !(becomesGet && method !== 'GET')
  if (isSame && url === leased.url) {
    if (chain.repeats < MAX_SELF_REDIRECTS) return { kind: 'again', url }
    return failed('AVO_REDIRECT_LOOP', `the page redirects to itself, ${MAX_SELF_REDIRECTS + 1} times`)
  }
  if (isSame && chain.asked.includes(url)) return failed('AVO_REDIRECT_LOOP', `the page redirects back to ${url}`)
  if ((leased.hops ?? 0) >= MAX_HOPS) return failed('AVO_REDIRECT_LIMIT', `more than ${MAX_HOPS} redirects in a row`)
  if (isSame) return { kind: 'again', url }
  if (!becomesGet) return { kind: 'target', leased, url }
  const { method: _method, body: _body, ...get } = leased
  return { kind: 'target', leased: get, url }
}

function failed(code: FailureCode, message: string): Redirect {
  return { kind: 'failed', failure: failure(code, message, { sent: true }) }
}
