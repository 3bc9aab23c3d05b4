// What a configuration says of credentials and sessions: where their values come from, never the values.
import { isSessionName } from './identity.ts'
import { anyObject, nonEmptyText, recordOf, tableOf, type OptionRule } from '../values/options.ts'
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

const FORMS =
  "{ bearer: { env: 'API_TOKEN' } }, { user: 'me', password: { file: './password' } } or { cert: { file }, key: { file } }"
/** Never quotes what it got: that may be the secret itself. */
const SOURCE: OptionRule = {
  expected: "{ env: 'NAME' } or { file: 'PATH' }",
  problem(value, path) {
    const expected = `expected ${path} to be ${SOURCE.expected}`
    if (typeof value === 'string') return `${expected}, got a text; put the secret into a variable or a file`
    if (anyObject.problem(value, path) !== undefined) return `${expected}, got ${typeof value}`
    const names = Object.keys(value as object)
    const { env, file } = value as { env?: unknown; file?: unknown }
    if (names.length === 1 && typeof env === 'string' && env !== '') return undefined
    if (names.length === 1 && ((typeof file === 'string' && file !== '') || file instanceof URL)) return undefined
    return `${expected}, got an object with ${names.length === 0 ? 'nothing' : names.join(', ')}`
  },
}
const NEEDED: OptionRule = { ...SOURCE, isNeeded: true }
const USER: OptionRule = {
  expected: `a text, ${SOURCE.expected}`,
  isNeeded: true,
  problem(value, path) {
    if (typeof value !== 'string') return SOURCE.problem(value, path)
    return nonEmptyText.problem(value, path)
  },
}
const BEARER = tableOf<{ bearer: ValueSource }>({ bearer: NEEDED })
const BASIC = tableOf<{ user: ValueSource; password: ValueSource }>({ user: USER, password: NEEDED })
const CERTIFICATE = tableOf<CertificateSource>({ cert: NEEDED, key: NEEDED, passphrase: SOURCE })

const CREDENTIAL: OptionRule = {
  expected: FORMS,
  problem(value, path) {
    if (anyObject.problem(value, path) !== undefined) return `expected ${path} to be ${FORMS}, got ${typeof value}`
    const names = Object.keys(value as object)
    const rule = [BEARER, BASIC, CERTIFICATE].find((_rule, n) => names.some((name) => NAMES[n]?.includes(name)))
    if (rule === undefined) return `expected ${path} to be ${FORMS}, got an object with ${names.join(', ') || 'nothing'}`
    return rule.problem(value, path)
  },
}
const NAMES = [['bearer'], ['user', 'password'], ['cert', 'key', 'passphrase']]

const ORIGIN: OptionRule = {
  expected: "an origin, such as 'https://api.example'",
  problem(value, path) {
    const url = typeof value === 'string' ? URL.parse(value) : null
    const origin = typeof value === 'string' ? originFrom(value) : undefined
    if (url === null || origin === undefined) return `expected ${path} to be ${ORIGIN.expected}, got ${told(value)}`
    if (url.username + url.password !== '')
      return `expected ${path} to be ${ORIGIN.expected}, got one with a user or a password; name them in its value`
    if (url.pathname + url.search + url.hash !== '/')
      return `expected ${path} to be ${ORIGIN.expected}, got ${told(value)}; use '${origin}', for credentials go to all URLs of an origin`
    // A URL may have one in its host name; no host does.
    if (url.hostname.includes('*'))
      return `expected ${path} to be ${ORIGIN.expected}, got ${told(value)}; name each origin, for patterns are not taken`
    return undefined
  },
}

function told(value: unknown): string {
  return typeof value === 'string' && value.includes('@') ? 'a text with an @' : shown(value)
}

/** Two spellings of one origin would leave open which counts. */
function spelledTwice(value: object, path: string): string | undefined {
  const names = Object.keys(value)
  const again = names.find((name, n) => names.findIndex((other) => originFrom(other) === originFrom(name)) < n)
  return again === undefined ? undefined : `expected each origin once in ${path}, got ${originFrom(again)} twice; remove one`
}

function overPlainHttp(value: object, path: string): string | undefined {
  const name = Object.entries(value).find(([origin, of]) => 'cert' in of && originFrom(origin)?.startsWith('http:'))?.[0]
  return name === undefined ? undefined : `expected an https origin for the client certificate in ${path}, got ${name}`
}

/** The rule of `credentials`. */
export const CREDENTIALS_RULE: OptionRule = {
  expected: 'an object',
  problem(value, path) {
    const problem = recordOf(CREDENTIAL, ORIGIN).problem(value, path)
    return problem ?? spelledTwice(value as object, path) ?? overPlainHttp(value as object, path)
  },
}

/** The origin that a key of `credentials` names; undefined where it names none. */
function originFrom(key: string): string | undefined {
  const url = URL.parse(key)
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined
}

/** The rule of names of sessions. */
export const SESSION_NAME: OptionRule = {
  expected: 'letters, digits, dashes, underscores or dots, 64 at most',
  problem: (value, path) =>
    isSessionName(value) ? undefined : `expected ${path} to be ${SESSION_NAME.expected}, got ${shown(value)}`,
}
