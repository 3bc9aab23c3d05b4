// Finds the values of secret parameters by the names before them, wherever a URL is in a text or in another URL: `?token=…`, `%3Ftoken%3D…`,
// `%2526token%253D…`. Nobody needs to know the values.
import { SECRET_REFERENCE } from './reference.ts'

const BEFORE = '(?:[?&;#]|%(?:25)*(?:3F|26|3B|23))'
/** Punctuation at its end belongs to the sentence. In a robots.txt asterisk and dollar are no value. */
const IN_TEXT = '(?![*$]+(?:[&#\\s]|$))[^&#\\s"<>]*[^&#\\s"<>\'`)\\\\.,;:]'
const IN_URL = '[^&;#\\s"<>]+'
/** Up to a separator that is encoded as often as the sign before the value, or less often. */
const ENCODED = '(?:(?!%\\3(?:26|23|3B|20|22|3C|3E)|%(?:26|23|3B))[^&#\\s"<>])+'

/** Values of parameters with certain names. */
export class NamedValues {
  readonly #inText: RegExp
  readonly #inUrl: RegExp

  /** `names`: decoded. */
  constructor(names: readonly string[]) {
    const any = names.map((name) => [...Buffer.from(name)].map(octetPattern).join('')).join('|')
    const after = (value: string): RegExp =>
      new RegExp(`(${BEFORE}(?:${any})=)${value}|(${BEFORE}(?:${any})%((?:25)*)3D)${ENCODED}`, 'gi')
    this.#inText = after(IN_TEXT)
    this.#inUrl = after(IN_URL)
  }

  /** `text` with references in the URLs in it. */
  hiddenInText(text: string): string {
    return text.replace(this.#inText, `$1$2${SECRET_REFERENCE}`)
  }

  /** `url` with references in the URLs in it; a value of its own query must be a reference already. */
  hiddenInUrl(url: string): string {
    return url.replace(this.#inUrl, `$1$2${SECRET_REFERENCE}`)
  }
}

/** An octet of a name, plain or percent-encoded any number of times. */
function octetPattern(octet: number): string {
  const character = String.fromCharCode(octet)
  const codes = new Set([character.toLowerCase(), character.toUpperCase()].map((either) => either.charCodeAt(0)))
  const encoded = `%(?:25)*(?:${[...codes].map((code) => code.toString(16).padStart(2, '0')).join('|')})`
  if (octet > 0x7f) return `(?:${String.raw`\x${octet.toString(16)}`}|%(?:25)*${octet.toString(16)})`
  return `(?:${character.replace(/[^\w-]/, String.raw`\$&`)}|${encoded})`
}
