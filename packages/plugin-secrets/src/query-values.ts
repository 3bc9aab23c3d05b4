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

// Finds the values of secret parameters by the names before them, wherever a URL is in a text or in another URL: `?token=…`, `%3Ftoken%3D…`,
// `%2526token%253D…`. Nobody needs to know the values.

/** What a name in a query has before it: the source of a pattern. */
export const BEFORE_NAME = '[?&;#]|%(?:25)*(?:3F|26|3B|23)'

/** Punctuation at its end belongs to the sentence. In a robots.txt asterisk and dollar are no value. */
const IN_TEXT = '(?![*$]+(?:[&#\\s]|$))[^&#\\s"<>]*[^&#\\s"<>\'`)\\\\.,;:]'
const IN_URL = '[^&;#\\s"<>]+'

/** Up to a separator that is encoded as often as the sign before the value, or less often. */
const ENCODED = '(?:(?!%\\2(?:26|23|3B|20|22|27|3C|3E)|%(?:26|23|3B))[^&#\\s"<>])+'

/** Values of parameters with certain names. */
export class NamedValues {
  readonly #inText: RegExp
  readonly #inUrl: RegExp

  /** `names`: decoded. */
  constructor(names: readonly string[]) {
    const any = anyOf(names)
    this.#inText = inQuery(any, { value: IN_TEXT })
    this.#inUrl = inQuery(any, { value: IN_URL })
  }

  /** `text` with references in the URLs in it. */
  hiddenInText(text: string): string {
    return withReferences(text, this.#inText)
  }

  /** `url` with references in the URLs in it; a value of its own query must be a reference already. */
  hiddenInUrl(url: string): string {
    return withReferences(url, this.#inUrl)
  }
}

/** What may be before a name, between it and its value, and what a value is: sources of patterns. */
interface QueryWords {
  readonly before?: string
  readonly equals?: string
  readonly value: string
}

/** Finds what is named `any` in a query. */
export function inQuery(any: string, { before = BEFORE_NAME, equals = '=', value }: QueryWords): RegExp {
  return new RegExp(`(?:${before})(?:${any})(?:${equals}(${value})|%((?:25)*)3D(${ENCODED}))`, 'gi')
}

/** How values are replaced. */
interface Hiding {
  /** Whether it is one to hide. */
  readonly isHidden?: (value: string) => boolean
  readonly instead?: string
}

/** `text` with references. A value is the last group of `pattern`, and what it finds ends with it. */
export function withReferences(
  text: string,
  pattern: RegExp,
  { isHidden = () => true, instead = HIDDEN_VALUE }: Hiding = {},
): string {
  return text.replace(pattern, (found: string, ...rest: readonly unknown[]) => {
    const value = rest.slice(0, -2).findLast((group) => typeof group === 'string') as string
    return isHidden(value) ? found.slice(0, found.length - value.length) + instead : found
  })
}

/** Finds each of `names`, decoded, in any spelling: the source of a pattern. */
export function anyOf(names: readonly string[]): string {
  return names.map((name) => [...Buffer.from(name)].map(octetPattern).join('')).join('|')
}

/** An octet of a name, plain or percent-encoded any number of times. */
function octetPattern(octet: number): string {
  const character = String.fromCharCode(octet)
  const codes = new Set([character.toLowerCase(), character.toUpperCase()].map((either) => either.charCodeAt(0)))
  const encoded = `%(?:25)*(?:${[...codes].map((code) => code.toString(16).padStart(2, '0')).join('|')})`
  if (octet > 0x7f) return `(?:${String.raw`\x${octet.toString(16)}`}|%(?:25)*${octet.toString(16)})`
  return `(?:${character.replace(/[^\w-]/, String.raw`\$&`)}|${encoded})`
}
