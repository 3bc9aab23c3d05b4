// Reads a redirect: where it leads, or why it leads nowhere. Pure.
import { failure, type Failure } from '../failure.ts'
import type { Leased } from '../request.ts'
import { headerOf, type ResponseHead } from '../response.ts'
import { canonicalUrl, parseUrl } from '../url/canonicalize.ts'

const MAX_HOPS = 10
/** A page that redirects to itself once it has set its cookies is asked again so often. */
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
  | { readonly kind: 'self' }
  | { readonly kind: 'failed'; readonly failure: Failure }

/**
 * Reads the redirect `head` of `leased`.
 *
 * `target.leased` is the request to make of the target: 303, and 301 and 302 after a POST, turn into a GET without a body
 * (RFC 9110 §15.4.2 to §15.4.4); 307 and 308 keep both.
 */
export function readRedirect(leased: Leased, head: ResponseHead): Redirect {
  const location = headerOf(head.headers, 'location') ?? ''
  const url = parseUrl(location, leased.url)
  if (url === undefined) {
    return {
      kind: 'failed',
      failure: failure(
        'AVO_REDIRECT_TARGET',
        `expected an http(s) URL in Location, got ${JSON.stringify(location.slice(0, 200))}`,
        { sent: true },
      ),
    }
  }
  const method = leased.method ?? 'GET'
  const becomesGet = method !== 'HEAD' && (head.status === 303 || (method === 'POST' && head.status <= 302))
  if (canonicalUrl(url) === canonicalUrl(leased.url) && !(becomesGet && method !== 'GET')) {
    if (leased.freeAttempts < MAX_SELF_REDIRECTS) return { kind: 'self' }
    return {
      kind: 'failed',
      failure: failure('AVO_REDIRECT_LOOP', `the page redirects to itself, ${MAX_SELF_REDIRECTS + 1} times`, { sent: true }),
    }
  }
  if ((leased.hops ?? 0) >= MAX_HOPS) {
    return { kind: 'failed', failure: failure('AVO_REDIRECT_LIMIT', `more than ${MAX_HOPS} redirects in a row`, { sent: true }) }
  }
  if (!becomesGet) return { kind: 'target', leased, url }
  const { method: _method, body: _body, ...get } = leased
  return { kind: 'target', leased: get, url }
}
