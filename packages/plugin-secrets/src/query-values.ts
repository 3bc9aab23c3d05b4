// Replaces values of parameters in the query of a URL, and leaves every other character of it as it is.
import { HIDDEN_VALUE, withoutUserinfo } from '@avocet/core/store'

/** A name and a value. Some servers separate pairs by `;`; what has no name behind it belongs to the value before it. */
const PAIR = /(^|[&;])([^&;=]*)=([^&;]*(?:;[^&;=]*(?![^&;]))*)/g

/**
 * `url`, which is in WHATWG form, with the values that `replace` gives. Parameters without a value are not asked about. Names are decoded and in lower
 * case: servers differ in whether they tell `Token` from `token`, and an ampersand that was escaped twice (`&amp;token=`) is none of the name.
 *
 * @example
 * ```ts
 * withQueryValues('https://shop.example/?a=1&Key=2', (name, value) => (name === 'key' ? 'x' : value)) // 'https://shop.example/?a=1&Key=x'
 * ```
 */
export function withQueryValues(url: string, replace: (name: string, value: string) => string): string {
  const question = url.indexOf('?')
  if (question === -1) return url
  const query = url
    .slice(question + 1)
    .replace(PAIR, (pair: string, before: string, written: string, value: string) =>
      value === '' ? pair : `${before}${written}=${replace(comparedName(written), value)}`,
    )
  return url.slice(0, question + 1) + query
}

/** The name of a parameter as it is compared: `%74oken` and `Token` are `token`. */
export function comparedName(written: string): string {
  const plain = written.replaceAll('+', ' ')
  return decoded(plain)
    .toLowerCase()
    .replace(/^(?:amp;)+(?=.)/, '')
}

/** `text` without percent-encoding; as it is where that is broken. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * `text` as somebody may read it: without user and password in its URLs and, where it is one URL, with references in place of the values of `parameters`.
 *
 * @example
 * ```ts
 * withoutCredentials('https://me:secret@shop.example/?key=7', ['key']) // 'https://shop.example/?key=__secret__'
 * ```
 */
export function withoutCredentials(text: string, parameters: readonly string[] = []): string {
  const plain = withoutUserinfo(text)
  if (parameters.length === 0) return plain
  const names = new Set(parameters.map(comparedName))
  return withQueryValues(plain, (name, value) => (names.has(name) ? HIDDEN_VALUE : value))
}
