// Replaces values of parameters in the query of a URL, and leaves every other character of it as it is.

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
      value === '' ? pair : `${before}${written}=${replace(parameterNameOf(written), value)}`,
    )
  return url.slice(0, question + 1) + query
}

/** The name of a parameter as it is compared: `%74oken` and `Token` are `token`. */
export function parameterNameOf(written: string): string {
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
