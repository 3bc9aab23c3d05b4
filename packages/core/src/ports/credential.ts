// What a configuration says of credentials and sessions: where their values come from, never the values.
import { isSessionName } from './identity.ts'
import { either, hasMembers, needed, nonEmptyText, recordOf, satisfying, tableOf, type OptionRule } from '../values/options.ts'
import { shown } from '../values/shown.ts'

/**
 * Where the value of a secret comes from: an environment variable, or a file that only its owner can read (mode 0600 or 0400). A relative path is relative
 * to the working directory; a line break at the end of the file does not count.
 */
type ValueSource = { readonly env: string } | { readonly file: string | URL }

/** A certificate with which a client shows who it is (RFC 8446 §4.4.2), and its private key, as PEM. */
interface CertificateSource {
  /** The certificate, and those that lead to its issuer. No secret: a file of it may be readable for everybody. */
  readonly cert: ValueSource
  readonly key: ValueSource
  /** Of the key, where it has one. */
  readonly passphrase?: ValueSource
}

/** Credentials for one origin: a token (RFC 6750), a user name with a password (RFC 7617), or a client certificate. */
type Credential =
  | { readonly bearer: ValueSource }
  | { readonly user: string | ValueSource; readonly password: ValueSource }
  | CertificateSource

/** Credentials by origin: `https://api.example`, `https://api.example:8443`. */
export type Credentials = Readonly<Record<string, Credential>>

/** What requests of a named session send. */
export interface SessionSettings {
  /** Header fields for the origins of seeds and for `scope.hosts`, in place of those with the same names in `headers` of the crawl. */
  readonly headers?: Readonly<Record<string, string>>
  /** User agent of its requests. robots.txt is still read for the user agent of the crawl. */
  readonly userAgent?: string
  /** A proxy, or several, of which the session keeps one; 'direct' for none. For the `avocet` command; in a program, use `proxies()`. */
  readonly proxy?: string | readonly string[]
  /** In place of those of the crawl for the same origins. */
  readonly credentials?: Credentials
}

/** Never quotes a text: it may be the secret itself. */
function unquoted(expected: string, holds: (value: unknown) => boolean): OptionRule {
  const kindOf = (value: unknown): string => (typeof value === 'string' ? 'a text' : shown(value))
  return {
    expected,
    problem: (value, path) => (holds(value) ? undefined : `expected ${path} to be ${expected}, got ${kindOf(value)}`),
  }
}

const SOURCE = unquoted("{ env: 'NAME' } or { file: 'PATH' }", (value) => {
  if (!hasMembers(value) || Object.keys(value).length !== 1) return false
  const { env, file } = value as { readonly env?: unknown; readonly file?: unknown }
  return file instanceof URL || [env, file].some((name) => typeof name === 'string' && name !== '')
})

const KINDS = [
  tableOf<{ bearer: ValueSource }>({ bearer: needed(SOURCE) }),
  tableOf<{ user: string; password: ValueSource }>({ user: needed(either(nonEmptyText, SOURCE)), password: needed(SOURCE) }),
  tableOf<CertificateSource>({ cert: needed(SOURCE), key: needed(SOURCE), passphrase: SOURCE }),
]

const CREDENTIAL = unquoted(
  "{ bearer: { env: 'API_TOKEN' } }, { user: 'me', password: { file: './password' } } or { cert: { file }, key: { file } }",
  (value) => KINDS.some((kind) => kind.problem(value, '') === undefined),
)

/** Spelled as URLs spell it, so that no two are the same. A URL may have a star in its host name; no host does. */
const ORIGIN: OptionRule = {
  expected: "an origin without a path or a default port, such as 'https://api.example'",
  problem(value, path) {
    const text = String(value)
    if (/^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text) return undefined
    return `expected ${path} to be ${ORIGIN.expected}, got ${text.includes('@') ? 'one with an @' : shown(text)}`
  },
}

/** The rule of `credentials`. */
export const CREDENTIALS_RULE: OptionRule = {
  expected: 'an object',
  problem(value, path) {
    const problem = recordOf(CREDENTIAL, ORIGIN).problem(value, path)
    if (problem !== undefined) return problem
    const plain = Object.entries(value as Credentials).find(([origin, of]) => 'cert' in of && origin.startsWith('http:'))
    return plain && `expected an https origin for the client certificate in ${path}, got ${plain[0]}`
  },
}

/** The rule of names of sessions. */
export const SESSION_NAME: OptionRule = satisfying('letters, digits, dashes, underscores or dots, 64 at most', isSessionName)
