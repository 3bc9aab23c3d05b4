// Signatures of requests, by the convention of Standard Webhooks: HMAC-SHA256 over id, time and body.
//
// Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { createHash, createHmac } from 'node:crypto'
import { AvocetError } from '@avocet/core'

/** The bytes of a secret. Throws AVO_CONFIG_INVALID, without quoting it. */
export function signingKey(secret: string): Buffer {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const key = Buffer.from(base64, 'base64')
  if (key.length >= 24 && key.length <= 64) return key
  throw new AvocetError(
    'AVO_CONFIG_INVALID',
    'expected webhook: secret to be whsec_ and 24 to 64 bytes in base64, got something else; make one with: echo whsec_$(openssl rand -base64 32)',
  )
}

/** What identifies the request in all tries: the same for the same items of the same crawl. */
export function idOf(sender: { readonly crawl: string; readonly sink: string }, keys: readonly string[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([sender.crawl, sender.sink, keys]))
    .digest('base64url')
  return `msg_${hash.slice(0, 32)}`
}

/** `webhook-id`, `webhook-timestamp` (seconds) and, with at least one key, `webhook-signature`. */
export function signed(
  keys: readonly Buffer[],
  { id, now, body }: { readonly id: string; readonly now: number; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000))
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}
