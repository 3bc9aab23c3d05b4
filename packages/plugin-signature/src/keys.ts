// The private keys of a crawler, as `avocet identity key` writes them: a JWK in a file that only its owner can read, or a folder of such files.
//
// What is read stays in key objects of node:crypto, which neither JSON nor a log shows. Messages name files and never quote what is in them.
import { AvocetError } from '@avocet/core'
import { createPrivateKey, createPublicKey, hash, sign, type JsonWebKey, type KeyObject } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A key that can sign. */
export interface SigningKey {
  /** Thumbprint of the public key: RFC 7638, RFC 8037 appendix A.3. */
  readonly keyid: string
  /** The public key, as a JWK has it. */
  readonly x: string
  /** Epoch ms; 0 = always. */
  readonly startsAt: number
  /** Epoch ms; Infinity = never. */
  readonly endsAt: number
  sign(text: string): Uint8Array<ArrayBuffer>
}

/** A JWK has others as well. */
interface PrivateJwk {
  readonly nbf?: number
  readonly exp?: number
}

/** What of a mode lets others than the owner read or write: ssh refuses the same. */
const OF_OTHERS = 0o077
const MAKE_ONE = 'avocet identity key FILE makes one'

/**
 * The keys of a file or of a folder, the newest first.
 *
 * @throws AVO_CONFIG_INVALID, without a word of what is in the file.
 */
export function readKeys(path: string): readonly SigningKey[] {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) throw wrong(`expected a private key at ${path}, found no file; ${MAKE_ONE}`)
  const names = entry.isDirectory() ? readdirSync(path).filter((name) => !name.startsWith('.')) : undefined
  if (names?.length === 0) throw wrong(`expected private keys in the folder ${path}, found no file; ${MAKE_ONE}`)
  const keys = (names?.map((name) => join(path, name)) ?? [path]).map(keyIn)
  return keys.toSorted((a, b) => b.startsAt - a.startsAt || (a.keyid < b.keyid ? -1 : 1))
}

/** The newest one that is valid at `now`, epoch ms; undefined where none is. */
export function keyAt(keys: readonly SigningKey[], now: number): SigningKey | undefined {
  return keys.find(({ startsAt, endsAt }) => startsAt <= now && now < endsAt)
}

/** RFC 7638 §3: the members that are required, in alphabetical order, without spaces. */
export function thumbprint(x: string): string {
  return hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
}

function keyIn(path: string): SigningKey {
  const { mode } = statSync(path)
  // Windows has no such modes: there every file seems open.
  if (process.platform !== 'win32' && (mode & OF_OTHERS) !== 0)
    throw wrong(
      `expected the private key ${path} to be readable by its owner alone, got mode ${(mode & 0o777).toString(8)}; run chmod 600 ${path}`,
    )
  const { jwk, key } = parsed(path)
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  const [startsAt, endsAt] = [(jwk.nbf ?? 0) * 1_000, (jwk.exp ?? Infinity) * 1_000]
  return { keyid: thumbprint(x), x, startsAt, endsAt, sign: (text) => new Uint8Array(sign(null, Buffer.from(text), key)) }
}

function parsed(path: string): { readonly jwk: PrivateJwk; readonly key: KeyObject } {
  try {
    const jwk = JSON.parse(readFileSync(path, 'utf8')) as PrivateJwk
    const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })
    if (key.asymmetricKeyType === 'ed25519' && [jwk.nbf ?? 0, jwk.exp ?? 0].every(Number.isFinite)) return { jwk, key }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EISDIR')
      throw wrong(`expected the private key ${path} to be a file that can be read, got ${code}`)
  }
  throw wrong(`expected ${path} to be a private Ed25519 key as a JWK, got something else; ${MAKE_ONE}`)
}

function wrong(message: string): AvocetError {
  return new AvocetError('AVO_CONFIG_INVALID', `signature: ${message}`)
}
