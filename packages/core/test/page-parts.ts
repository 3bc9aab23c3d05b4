// A request and a response of which a test says what matters to it.
import type { Request, Response } from '@avocet/core'
import type { Fingerprint } from '@avocet/core/store'

/** A request. */
export function requestOf(url = 'http://shop.test/'): Request {
  return {
    id: 1,
    fingerprint: '' as Fingerprint,
    hostKey: new URL(url).host,
    url,
    method: 'GET',
    headers: {},
    handler: 'start',
    depth: 0,
    priority: 0,
    attempts: 0,
    freeAttempts: 0,
    hops: 0,
    data: undefined,
  }
}

/** Its answer. */
export function responseOf(headers: Response['headers'], content: string | Uint8Array, url = 'http://shop.test/'): Response {
  const body = typeof content === 'string' ? Buffer.from(content) : content
  const timings = { firstByteMs: 1, bodyMs: 1, reusedSocket: false }
  return { url, status: 200, headers, body, wireBytes: body.length, timings }
}
