// What a row of a request asks for, from which its fingerprint follows.
import { canonicalUrl, fingerprintOf, type Fingerprint, urlOf } from '@avocet/core/store'

/** Columns of `request`, `host` and `extra`. */
export interface AskedRow {
  readonly path: string
  readonly origin: string
  readonly method: string | null
  readonly body: string | null
  readonly identity: string | null
}

/** The fingerprint that it has for `handler`: of the same page, each handler has a request of its own. */
export function fingerprintFor({ path, origin, method, body, identity }: AskedRow, handler: string): Fingerprint {
  const asked = { method: method ?? 'GET', canonicalUrl: canonicalUrl(urlOf(path, origin)), handler }
  return fingerprintOf({ ...asked, ...(body !== null && { body }), ...(identity !== null && { added: identity }) })
}
