// Finds secret values that are known wherever they are in a text: as they are, percent-encoded, and escaped as in JSON.
//
// A value is one pattern. Letters and digits are themselves, since nobody encodes them; any other sign is found in each spelling, so a value may also mix
// them. A text may have characters, or one octet a character, as the bodies of pages have (body-secrets.ts).
import { HIDDEN_VALUE, type Ports } from '@avocet/core/store'
import { decoded } from './query-values.ts'

/** Shorter values are in too many texts by chance. */
export const MIN_CHARACTERS_IN_TEXT = 6

/** So many are looked for. Further ones are hidden at their parameter only, and at their own origin. */
const MAX_VALUES = 100

/** Values of single origins that are kept prepared. */
const MAX_PREPARED = 1_000

/** Characters of a value that are compared, or a page that repeats its beginning would take long. What is joined to them is hidden with them. */
const MAX_COMPARED = 64
const JOINED = '[^\\s"\'<>]*'

/** Signs of a value: backslashes that follow one another are one. */
const SIGNS = /\\+|[^\\]/gsu

/** Of a JSON string in JSON in JSON. */
const MAX_BACKSLASHES = 7

/** A percent sign that was percent-encoded again. */
const AGAIN = '%(?:25){0,5}'

/** Values that are looked for in every text. */
export class KnownValues {
  readonly #values = new Map<string, KnownValue>()
  readonly #others = new Map<string, KnownValue>()

  /** `value`, as a query has it. */
  add(value: string): void {
    if (value.length < MIN_CHARACTERS_IN_TEXT || this.#values.size >= MAX_VALUES || this.#values.has(value)) return
    this.#values.set(value, new KnownValue(value))
  }

  /** `text` with references. `further`: values that are looked for in this text alone. */
  hiddenIn(text: string, further: Iterable<string> = []): string {
    let hidden = text
    for (const value of this.#values.values()) hidden = value.hiddenIn(hidden)
    let left = MAX_VALUES
    for (const value of further) {
      if (left-- === 0) break
      if (value.length >= MIN_CHARACTERS_IN_TEXT && !this.#values.has(value)) hidden = this.#prepared(value).hiddenIn(hidden)
    }
    return hidden
  }

  /** A text may be searched for a hundred of them, and most texts have none. */
  #prepared(value: string): KnownValue {
    const made = this.#others.get(value) ?? new KnownValue(value)
    if (this.#others.size >= MAX_PREPARED) this.#others.clear()
    this.#others.set(value, made)
    return made
  }
}

/** A value as a query or a header field has it. */
export class KnownValue {
  readonly #text: string
  /** Is in each spelling, so that most texts need no more than a look for it. */
  readonly #word: string
  #pattern: RegExp | undefined

  constructor(value: string) {
    this.#text = decoded(value)
    this.#word = longestWord(this.#text)
  }

  /** `text` with references. `whole`: makes a pattern of one that finds the value. References are found too, and stay: `secret` is a part of them. */
  hiddenIn(text: string, whole: (source: string) => string = (source) => source, instead: Instead = () => HIDDEN_VALUE): string {
    if (!text.includes(this.#word)) return text
    this.#pattern ??= new RegExp(`${REFERENCE_SOURCE}|${whole(spellings(this.#text))}`, 'g')
    return text.replace(this.#pattern, (found, at: number) =>
      beginsAsReference(found) ? found : instead({ text, start: at, end: at + found.length }),
    )
  }
}

/** What replaces the value from `start` to `end` of `text`. */
type Instead = (found: { readonly text: string; readonly start: number; readonly end: number }) => string

function longestWord(text: string): string {
  const words = text.slice(0, MAX_COMPARED).match(/\w+/g) ?? []
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}

/** Finds `text`: the source of a pattern. */
function spellings(text: string): string {
  const signs = text.match(SIGNS) ?? []
  return signs.slice(0, MAX_COMPARED).map(spelled).join('') + (signs.length > MAX_COMPARED ? JOINED : '')
}

/** A plus in a query is a space (URL Standard, application/x-www-form-urlencoded), and servers write values back as links and as JSON. */
function spelled(sign: string, at: number, signs: readonly string[]): string {
  if (/\w/.test(sign)) return sign
  const encoded = percentEncoded(sign)
  // A text of backslashes only is looked at once.
  const most = at === 0 ? 1 : MAX_BACKSLASHES
  const codes = Array.from({ length: sign.length }, (_, unit) => hex(sign.charCodeAt(unit), 4))
  const json = codes.map((code) => `\\\\{1,${most}}u${code}`).join('')
  if (sign.startsWith('\\')) return `(?:\\\\{${sign.length},${sign.length * (most + 1)}}|${encoded}|${json})`
  if (sign === '%') return `(?:%|${AGAIN}25|${json})`
  const octets = Buffer.from(sign).toString('latin1')
  const raw = [...new Set([sign, octets])].map(escaped).join('|')
  const spaces = sign === '+' ? [' ', percentEncoded(' ')] : sign === ' ' ? [String.raw`\+`] : []
  const escapes = signs[at - 1]?.startsWith('\\') === true ? '' : `\\\\{0,${most}}`
  return `(?:${escapes}(?:${raw})|${[encoded, json, ...spaces].join('|')})`
}

function percentEncoded(sign: string): string {
  return [...Buffer.from(sign)].map((octet) => AGAIN + hex(octet, 2)).join('')
}

/** In upper or lower case. */
function hex(code: number, digits: number): string {
  const text = code.toString(16).padStart(digits, '0')
  return text.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w]/gu, String.raw`\$&`)
}

// References of two kinds: `__secret__` (HIDDEN_VALUE of core), and numbered ones.

/** What hides values behind them. */
export type SecretsCodec = Awaited<ReturnType<Ports['codec']>>

/** What a reference of either kind begins with, and nothing else of ours. */
const START = '__secret'

/** Finds a reference of either kind: the source of a pattern. */
export const REFERENCE_SOURCE: string = String.raw`__secret(?:\.[0-9a-f]+\.\d+)?__`

/** In place of the value of a header field that a link gave: `process` in hexadecimal, and a number in it. */
export function numberedReference(process: string, number: number): string {
  return `${START}.${process}.${number}__`
}

/** Whether `text` may begin with a reference: cheap, for the hot path. */
export function beginsAsReference(text: string | undefined): boolean {
  return text?.startsWith(START) === true
}
