// Finds the values of secret parameters by the names before them, wherever a URL is in a text or in another URL: `?token=…`, `%3Ftoken%3D…`,
// `%2526token%253D…`. Nobody needs to know the values.
import { HIDDEN_VALUE } from '@avocet/core/store'

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
