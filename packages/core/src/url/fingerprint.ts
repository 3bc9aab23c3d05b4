// Identity of a request in 16 bytes: what is asked, how, and for which handler.
import { hash } from 'node:crypto'
import type { Fingerprint } from '../ports/request.ts'

/** What makes a request the request that it is. */
export interface Identity {
  /** Upper case. */
  readonly method: string
  readonly canonicalUrl: string
  readonly handler: string
  readonly body?: string
  /** What a link adds of its own, as it is stored. */
  readonly added?: string
}

/**
 * The fingerprint of a request: 16 characters, U+0000 to U+00FF.
 *
 * Different identities are different texts before they are hashed: a plain GET is `url LF handler`, where a URL has no line feed; everything
 * else is a JSON array, which no URL begins like.
 *
 * @example
 * ```ts
 * fingerprintOf({ method: 'GET', canonicalUrl: 'https://shop.example/', handler: 'start' })
 * ```
 */
export function fingerprintOf({ method, canonicalUrl, handler, body, added }: Identity): Fingerprint {
  if (method === 'GET' && body === undefined && added === undefined) return digestOf(`${canonicalUrl}\n${handler}`)
  return digestOf(JSON.stringify([method, canonicalUrl, handler, body ?? null, ...(added === undefined ? [] : [added])]))
}

function digestOf(text: string): Fingerprint {
  return hash('sha1', text, 'binary').slice(0, 16) as Fingerprint
}
