// The credentials of a crawl: which request is sent with which, by origin and session.
//
// What goes out as a header field is a secret like that of a seed: requests hold a reference, and only what is sent has the value (secret-headers.ts). A
// client certificate is chosen where the request leaves (sending.ts). An origin is scheme, host and port, so a redirect elsewhere takes nothing along.
import { createSecureContext } from 'node:tls'
import type { CrawlConfig } from '@avocet/core'
import { originOf } from '@avocet/core/plugin'
import { messageOf, type Outbound } from '@avocet/core/store'
import { looksLikeWords, secretPlace, secretValue, wrongCredential } from './secret-value.ts'
import type { SecretHeaders } from './secret-headers.ts'

/** What a configuration says. */
export type CredentialsConfig = Pick<CrawlConfig, 'credentials' | 'sessions'>
type Credentials = NonNullable<CredentialsConfig['credentials']>
type Credential = Credentials[string]
type CertificateSource = Extract<Credential, { readonly cert: unknown }>
type ClientCertificate = NonNullable<Outbound['certificate']>

/** What an origin is sent. */
interface Known {
  /** A reference. */
  readonly authorization?: string
  readonly certificate?: ClientCertificate
  /** Where it comes from, for messages. */
  readonly from: string
}

/** Visible characters (RFC 6750 §2.1 allows fewer). */
const TOKEN = /^[\x21-\x7e]+$/

/** The credentials of a crawl. */
export class KnownCredentials {
  /** By session, '' for the crawl's, and origin. */
  readonly #known = new Map<string, ReadonlyMap<string, Known>>()

  /** Reads the values, and gives them to `headers`. Throws AVO_CONFIG_CREDENTIALS. */
  constructor({ credentials, sessions = {} }: CredentialsConfig, headers: SecretHeaders) {
    if (credentials !== undefined) this.#known.set('', known(credentials, '', headers))
    for (const [session, settings] of Object.entries(sessions))
      if (settings.credentials !== undefined) this.#known.set(session, known(settings.credentials, session, headers))
  }

  /** The certificate that is shown to the server of `url` in `session`. */
  certificateFor(url: string, session?: string): ClientCertificate | undefined {
    return this.#of(url, session)?.certificate
  }

  /** What is sent for `url` in `session`, as a reference, and what to tell where it was refused: one sentence for an origin and a session. */
  for(url: string, session?: string): { readonly authorization?: string; readonly refused: string } | undefined {
    const credential = this.#of(url, session)
    if (credential === undefined) return undefined
    const { authorization, from } = credential
    const of = session === undefined ? '' : ` of session ${session}`
    const refused = `${originOf(url)} refused the credentials${of} (status 401): check ${from}`
    return { ...(authorization !== undefined && { authorization }), refused }
  }

  /** A session's own go before the crawl's. */
  #of(url: string, session = ''): Known | undefined {
    if (this.#known.size === 0) return undefined
    const origin = originOf(url)
    return (session === '' ? undefined : this.#known.get(session)?.get(origin)) ?? this.#known.get('')?.get(origin)
  }
}

function known(credentials: Credentials, session: string, headers: SecretHeaders): ReadonlyMap<string, Known> {
  const of = session === '' ? '' : ` (session ${session})`
  return new Map(
    Object.entries(credentials).map(([key, credential]): [string, Known] => {
      const { origin } = new URL(key)
      const place = origin + of
      if ('cert' in credential)
        return [origin, { certificate: certificateOf(credential, place), from: secretPlace(credential.cert) }]
      const { value, secret, from } = fieldOf(credential, place)
      if (!looksLikeWords(secret)) headers.alsoHide(secret)
      // No identity of a request has this form.
      const identity = JSON.stringify({ credentials: session })
      const hidden = headers.hidden({ authorization: value }, { url: `${origin}/`, identity, isSeed: true })
      return [origin, { authorization: hidden['authorization'] ?? '', from }]
    }),
  )
}

interface Field {
  readonly value: string
  /** What of it is secret in itself. */
  readonly secret: string
  readonly from: string
}

function fieldOf(credential: Exclude<Credential, CertificateSource>, place: string): Field {
  if ('bearer' in credential) {
    const from = secretPlace(credential.bearer)
    const secret = secretValue({ source: credential.bearer, what: `the token for ${place}` })
    if (!TOKEN.test(secret))
      throw wrongCredential(
        `expected the token for ${place}, in ${from}, to have visible ASCII characters only, got others, or a space`,
      )
    return { value: `Bearer ${secret}`, secret, from }
  }
  const { user: given, password } = credential
  const user = typeof given === 'string' ? given : secretValue({ source: given, what: `the user for ${place}` })
  const secret = secretValue({ source: password, what: `the password for ${place}` })
  // RFC 7617 §2: a colon ends the name; no control characters.
  if (user.includes(':') || /\p{Cc}/u.test(user + secret))
    throw wrongCredential(`expected a user without a colon and no control characters in user and password for ${place}, got some`)
  return { value: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`, secret, from: secretPlace(password) }
}

function certificateOf({ cert, key, passphrase }: CertificateSource, place: string): ClientCertificate {
  const certificate: ClientCertificate = {
    cert: secretValue({ source: cert, what: `the certificate for ${place}`, isPublic: true }),
    key: secretValue({ source: key, what: `the key for ${place}` }),
    ...(passphrase && { passphrase: secretValue({ source: passphrase, what: `the passphrase of the key for ${place}` }) }),
  }
  try {
    createSecureContext(certificate)
  } catch (error) {
    const from = `${secretPlace(cert)} and ${secretPlace(key)}`
    throw wrongCredential(
      `expected a certificate and its key for ${place}, as PEM, in ${from}, got what TLS refuses: ${messageOf(error)}`,
    )
  }
  return certificate
}
