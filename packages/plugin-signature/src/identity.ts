// What makes a crawler known: a new key, and the two documents that its site publishes. Pure but for the key.
//
// The directory is a JWK set of public keys, and its server sends a signature of each beside it (draft-ietf-webbotauth-httpsig-protocol-01, appendix B): made
// here, so that any server of files can. The card is a client metadata document (draft-meunier-webbotauth-registry).
import { generateKeyPairSync, hash } from 'node:crypto'
import { thumbprint, type SigningKey } from './keys.ts'
import { signedDirectory } from './web-bot-auth.ts'

export { readKeys, type SigningKey } from './keys.ts'

/** Where verifiers look when they are given a site without a path. */
const DIRECTORY = '/.well-known/http-message-signatures-directory'
/** Verifiers that are given the directory by others take the proof no longer than this: a year, and a day to renew it. */
const PROVEN_FOR_MS = 366 * 86_400_000
/** Lines of robots.txt: those of RFC 9309, and those that the plugin `robots` keeps to as well. */
const OBEYED = ['User-Agent', 'Allow', 'Disallow', 'Crawl-delay', 'Request-rate', 'Visit-time']
const CARD = '/.well-known/signature-agent-card'

/** A new private key as a text for a file, and its thumbprint. It signs from `startsAt` (epoch ms) on. */
export function newKey(startsAt: number): { readonly text: string; readonly keyid: string } {
  const { kty, crv, x = '', d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const keyid = thumbprint(x)
  const jwk = { kty, crv, kid: keyid, x, d, use: 'sig', nbf: Math.floor(startsAt / 1_000) }
  return { text: textOf(jwk), keyid }
}

/** What a card says of a crawler. */
export interface Described {
  /** The https URL that requests name. */
  readonly agent: string
  readonly userAgent: string
  /** The name that robots.txt calls it by. */
  readonly token: string
  /** A URL: `mailto:bot@example.org`. */
  readonly contact?: string
  /** What its data is for: `search`, or any text. */
  readonly purpose?: string
  readonly obeysRobots: boolean
  /** Requests per second that a host gets at most. */
  readonly maxRps?: number
}

/** What a site publishes. */
export interface Published {
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>
  /** Path of the directory. */
  readonly directory: string
  /** Header fields that are sent with the directory. */
  readonly fields: Readonly<Record<string, string>>
}

/** What to publish on the site of `described.agent`. Keys that have ended at `now` (epoch ms) are left out. */
export function publishedIdentity(described: Described, keys: readonly SigningKey[], now: number): Published {
  const { pathname, origin, host } = new URL(described.agent)
  const directory = pathname === '/' ? DIRECTORY : pathname
  const listed = keys.filter(({ endsAt }) => endsAt > now)
  const body = textOf({ keys: listed.map(publicJwk) })
  const card = textOf(cardOf(described, { client_id: origin + CARD, jwks_uri: origin + directory }))
  const digest = `sha-256=:${hash('sha256', body, 'base64')}:`
  const signed = listed.map(({ keyid, sign }, nth) =>
    signedDirectory({ label: `sig${nth + 1}`, authority: host, digest, keyid, now, expiresMs: PROVEN_FOR_MS }, sign),
  )
  return {
    files: { [directory]: body, [CARD]: card },
    directory,
    fields: {
      'Content-Type': 'application/http-message-signatures-directory+json',
      'Cache-Control': 'max-age=86400',
      'Content-Digest': digest,
      'Signature-Input': signed.map((fields) => fields['signature-input']).join(', '),
      Signature: signed.map(({ signature }) => signature).join(', '),
    },
  }
}

function textOf(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

function publicJwk({ keyid, x, startsAt, endsAt }: SigningKey): object {
  const [nbf, exp] = [startsAt / 1_000, endsAt / 1_000]
  return { kty: 'OKP', crv: 'Ed25519', kid: keyid, x, use: 'sig', ...(nbf > 0 && { nbf }), ...(exp < Infinity && { exp }) }
}

function cardOf({ userAgent, token, contact, purpose, obeysRobots, maxRps }: Described, urls: object): object {
  // `price-watch/1.0 (+https://example.org/crawler)`: the page about the crawler.
  const about = /\+(https?:\/\/[^\s;)]+)/.exec(userAgent)?.[1]
  return {
    ...urls,
    client_name: token,
    ...(about !== undefined && { client_uri: about }),
    ...(contact !== undefined && { contacts: [contact] }),
    web_bot_auth: {
      'expected-user-agent': userAgent,
      'rfc9309-product-token': token,
      ...(obeysRobots && { 'rfc9309-compliance': OBEYED }),
      trigger: 'crawler',
      ...(purpose !== undefined && { purpose }),
      'rate-control': '429 and 503 with Retry-After; RateLimit fields; Crawl-delay and Request-rate in robots.txt',
      ...(maxRps !== undefined && { 'rate-expectation': `max=${maxRps}rps per host` }),
    },
  }
}
