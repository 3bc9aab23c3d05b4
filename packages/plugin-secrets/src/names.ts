// Which names hold secrets: of header fields that are kept or shown, of a spider's arguments, and of what is typed in the shell.
//
// A name is read word by word, for a part of a word says nothing: `x-author` is no `auth`, and a crawl that loses such a field from a kept response finds other
// items in it. Sites run words together (`accesstoken`), so a word may end with one that tells. What only measures or describes a secret is none.
export { withoutCredentials } from './query-values.ts'

/** A whole word, or the end of one: `authtoken`, `phpsessid`, `rapidapikey`. */
const SECRET_WORD =
  /(?:auth|authentication|authori[sz]ation|token|secrets?|cookies?|sessionid|sessid|csrf|xsrf|jwt|passwords?|passwd|passphrase|passcode|pwd|credentials?|(?:api|auth|access|private|secret|session)keys?)$/
/** Short words, with which others end as well: `obsession`, `compass`. */
const SECRET_WHOLE = /^(?:sessions?|userpass)$/
/** In front of `key`. Other keys name things: `surrogate-key`, `cache-key`. */
const KEY_KIND = /(?:api|auth|access|private|secret|session|subscription|functions|master|signing|encryption|customer)$/
/** At the end of a name: of this much, until then, or called so. */
const MEASURE =
  /^(?:count|limit|left|remaining|max|min|length|size|used|cost|ttl|timeout|expires|expiry|age|type|name|param|header|url|uri|endpoint)$/
/** What a site permits to other sites (the Fetch standard, §3.3): `Access-Control-Allow-Credentials: true`. */
const PERMISSION = /^access-control-/i

/**
 * Whether the value of a header field or an argument called `name` is taken for a secret: by its words, in any case, however they are joined.
 *
 * @example
 * ```ts
 * isSecretName('X-Api-Key') // true
 * isSecretName('accessToken') // true
 * isSecretName('x-author') // false
 * ```
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  const last = words.at(-1)
  if (last === undefined || MEASURE.test(last) || PERMISSION.test(name)) return false
  // Nothing but a pass or a key opens a door.
  if (last === 'pass' || (last === 'key' && words.length === 1)) return true
  return words.some((word, index) => isSecretWord(word) || (/^keys?$/.test(word) && KEY_KIND.test(words[index - 1] ?? '')))
}

function isSecretWord(word: string): boolean {
  return SECRET_WORD.test(word) || SECRET_WHOLE.test(word)
}

/** `X-API-Key2`, `api_key` and `apiKey` have the words of `api key`. An `x` in front says nothing (RFC 6648). */
function wordsOf(name: string): readonly string[] {
  const apart = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  const words = apart.toLowerCase().match(/[a-z]+/g) ?? []
  return words[0] === 'x' ? words.slice(1) : words
}

// Which parameters in the URL of a database are secrets, whatever is shown of it.

/**
 * By name: passwords (`sslpassword` opens a private key), and the keys and the secret that log in without one.
 *
 * Source: PostgreSQL 18 documentation §32.1.2.
 */
export const CONNECTION_SECRETS: readonly string[] = [
  'password',
  'sslpassword',
  'scram_client_key',
  'scram_server_key',
  'oauth_client_secret',
]
