// The request for the target of a redirect: it keeps handler, data, depth and priority of what led there.
import type { Leased, NewRequest } from '../ports/request.ts'
import { canonicalUrl } from '../url/canonicalize.ts'
import { fingerprintOf } from '../url/fingerprint.ts'

/** Redirects in a row that are followed. */
export const MAX_HOPS = 10
/** What no scope allows. */
const NO_HTTP = 'ports of protocols other than HTTP are never requested'

/** `leased`, as it continues at `target` of `hostKey`. */
export function redirected(leased: Leased, target: string, hostKey: string): NewRequest {
  const sameOrigin = new URL(target).origin === new URL(leased.url).origin
  const {
    id: _id,
    attempts: _attempts,
    freeAttempts: _free,
    parent: _parent,
    notBefore: _notBefore,
    earlier: _earlier,
    was: _was,
    knownAs: _knownAs,
    headersJson,
    ...kept
  } = leased
  return {
    ...kept,
    // Credentials and custom headers are for the origin that they were written for.
    ...(sameOrigin && headersJson !== undefined && { headersJson }),
    url: target,
    hostKey,
    fingerprint: fingerprintOf({
      method: leased.method ?? 'GET',
      canonicalUrl: canonicalUrl(target),
      handler: leased.handler,
      ...(leased.body !== undefined && { body: leased.body }),
      ...(leased.identity !== undefined && { added: leased.identity }),
    }),
    hops: (leased.hops ?? 0) + 1,
    redirectedFrom: leased.url,
  }
}

/** That `leased`, a seed or what one redirects to, led to `target`, which is refused for `reason`. */
export function refusedTarget(leased: Leased, target: string, reason: string): string {
  const remedy = reason === 'bad-port' ? NO_HTTP : 'allow the target in the scope, or make it the seed'
  return `${seedNameOf(leased)} redirects to ${target}, which is refused (${reason}): nothing of that seed is crawled; ${remedy}`
}

/** How messages name `leased`, a seed or what one redirects to. */
export function seedNameOf({ hops, url }: Leased): string {
  return hops === undefined ? `seed ${url}` : `${url}, to which a seed redirects,`
}
