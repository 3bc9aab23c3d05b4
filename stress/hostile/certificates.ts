// Certificates for the hosts of a hostile web, made when it starts: an authority of its own, and what it signs. DER by hand (X.509, RFC 5280 §4.1), for
// Node.js can sign but not issue, and certificates in a file would expire.
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** What is wrong with a certificate; `good`: nothing, for clients that trust the authority. */
export type CertificateKind =
  | 'good'
  | 'expired'
  | 'not-yet'
  | 'wrong-name'
  | 'self-signed'
  | 'unknown-issuer'
  | 'sha1'
  | 'long-chain'

/** As node:tls takes them, in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

const DAY_MS = 86_400_000
const ECDSA = { sha256: '1.2.840.10045.4.3.2', sha1: '1.2.840.10045.4.1' } as const
/** As many copies of the authority behind a certificate make a chain of 40 KB. */
const LONG_CHAIN = 100

interface Issuer {
  readonly name: string
  readonly key: KeyObject
}

/** Issues certificates from `now` (epoch ms) on. */
export class Authority {
  /** What to trust, in PEM. */
  readonly ca: string
  readonly #issuer: Issuer
  readonly #stranger: Issuer
  readonly #now: number
  readonly #made = new Map<string, Certificate>()
  #serial = 1

  constructor(now: number) {
    this.#now = now
    this.#issuer = { name: 'Hostile web', key: keyPair() }
    this.#stranger = { name: 'Stranger', key: keyPair() }
    this.ca = this.#issue({ subject: this.#issuer.name, key: this.#issuer.key, issuer: this.#issuer, isAuthority: true })
  }

  /** For the host with this address or name. */
  certificate(kind: CertificateKind, host: string): Certificate {
    const known = this.#made.get(`${kind} ${host}`)
    if (known !== undefined) return known
    const key = keyPair()
    const own = { name: host, key }
    const issuer = kind === 'self-signed' ? own : kind === 'unknown-issuer' ? this.#stranger : this.#issuer
    const fromMs = kind === 'not-yet' ? DAY_MS : kind === 'expired' ? -3 * DAY_MS : -DAY_MS
    const cert = this.#issue({
      subject: host,
      key,
      issuer,
      fromMs,
      daysValid: kind === 'expired' ? 1 : 30,
      host: kind === 'wrong-name' ? 'somebody-else.hostile.test' : host,
      hash: kind === 'sha1' ? 'sha1' : 'sha256',
    })
    const chain = kind === 'long-chain' ? this.ca.repeat(LONG_CHAIN) : ''
    const made = { key: key.export({ type: 'pkcs8', format: 'pem' }) as string, cert: cert + chain }
    this.#made.set(`${kind} ${host}`, made)
    return made
  }

  #issue(wanted: {
    readonly subject: string
    readonly key: KeyObject
    readonly issuer: Issuer
    readonly fromMs?: number
    readonly daysValid?: number
    readonly host?: string
    readonly hash?: 'sha256' | 'sha1'
    readonly isAuthority?: boolean
  }): string {
    const { subject, key, issuer, fromMs = -DAY_MS, daysValid = 30, host, hash = 'sha256', isAuthority = false } = wanted
    const algorithm = sequence(objectId(ECDSA[hash]))
    const from = this.#now + fromMs
    const extensions = [
      ...(isAuthority ? [extension('2.5.29.19', sequence(der(0x01, [0xff])))] : []),
      ...(host === undefined ? [] : [extension('2.5.29.17', sequence(alternativeName(host)))]),
    ]
    const signed = sequence(
      der(0xa0, integer(2)),
      integer(this.#serial++),
      algorithm,
      nameOf(issuer.name),
      sequence(time(from), time(from + daysValid * DAY_MS)),
      nameOf(subject),
      createPublicKey(key).export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(...extensions)),
    )
    const signature = sign(hash, signed, issuer.key)
    return pem(sequence(signed, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature]))))
  }
}

function keyPair(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

/** Tag, length, value. */
function der(tag: number, value: Uint8Array | readonly number[]): Buffer {
  const bytes = Buffer.from(value)
  const { length } = bytes
  const size = length < 0x80 ? [length] : length < 0x1_00 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), bytes])
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function integer(n: number): Buffer {
  return der(0x02, n < 0x80 ? [n] : [n >> 8, n & 255])
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const groups = [part & 127]
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128)
    bytes.push(...groups)
  }
  return der(0x06, bytes)
}

/** A distinguished name of a common name alone. */
function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId('2.5.4.3'), der(0x0c, Buffer.from(commonName.slice(0, 64))))))
}

function time(epochMs: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(epochMs).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))
}

function extension(id: string, value: Uint8Array): Buffer {
  return sequence(objectId(id), der(0x04, value))
}

function alternativeName(host: string): Buffer {
  return isIPv4(host) ? der(0x87, host.split('.').map(Number)) : der(0x82, Buffer.from(host))
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
