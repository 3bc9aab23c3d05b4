// Finds secret values that are known wherever they are in a text: as they are, and percent-encoded once or twice.
import { beginsAsReference, REFERENCE_SOURCE, SECRET_REFERENCE } from './reference.ts'

/** Shorter values are in too many texts by chance. */
export const MIN_CHARACTERS_IN_TEXT = 6
/** So many are looked for. Further ones are hidden at their parameter only, and at their own origin. */
const MAX_VALUES = 100
/** Patterns that are kept for values of single origins. */
const MAX_PATTERNS = 1_000
const PLAIN = /^[\w.~-]*$/

/** Values that are looked for in every text. */
export class KnownValues {
  readonly #values = new Set<string>()
  readonly #patterns = new Map<string, RegExp>()
  #pattern: RegExp | undefined

  /** `value`, as a query has it. */
  add(value: string): void {
    if (value.length < MIN_CHARACTERS_IN_TEXT || this.#values.size >= MAX_VALUES || this.#values.has(value)) return
    this.#values.add(value)
    this.#pattern = patternOf([...this.#values])
  }

  /** `text` with references. `further`: values that are looked for in this text alone. */
  hiddenIn(text: string, further: Iterable<string> = []): string {
    let hidden = this.#pattern === undefined ? text : replaced(text, this.#pattern)
    let left = MAX_VALUES
    for (const value of further) {
      if (left-- === 0) break
      if (value.length < MIN_CHARACTERS_IN_TEXT || this.#values.has(value)) continue
      if (!PLAIN.test(value) || hidden.includes(value)) hidden = replaced(hidden, this.#patternOf(value))
    }
    return hidden
  }

  #patternOf(value: string): RegExp {
    const known = this.#patterns.get(value)
    if (known !== undefined) return known
    if (this.#patterns.size >= MAX_PATTERNS) this.#patterns.clear()
    const pattern = patternOf([value])
    this.#patterns.set(value, pattern)
    return pattern
  }
}

/** References are found too, and stay: `secret` is a value that is part of them. */
function patternOf(values: readonly string[]): RegExp {
  const forms = new Set(values.flatMap(formsOf))
  return new RegExp(`${REFERENCE_SOURCE}|${[...forms].map(escaped).join('|')}`, 'g')
}

function replaced(text: string, pattern: RegExp): string {
  return text.replace(pattern, (found) => (beginsAsReference(found) ? found : SECRET_REFERENCE))
}

/**
 * The longest first: an encoded one may begin with the plain one. A plus in a query is a space (URL Standard, application/x-www-form-urlencoded), and
 * servers write values back as links and as JSON.
 */
function formsOf(value: string): readonly string[] {
  if (PLAIN.test(value)) return [value]
  const forms = [value, decoded(value), decoded(value.replaceAll('+', '%20'))].flatMap((text) => {
    const once = encodeURIComponent(text)
    const strict = once.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
    const twice = [encodeURIComponent(once), encodeURIComponent(strict)]
    return [
      ...twice,
      strict,
      once,
      once.replaceAll('%20', '+'),
      strict.replaceAll('%20', '+'),
      text,
      text.replaceAll('/', String.raw`\/`),
    ]
  })
  const unlike = [...new Set(forms)].filter((form) => form.length >= MIN_CHARACTERS_IN_TEXT)
  return unlike.toSorted((one, other) => other.length - one.length)
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** As a pattern, with percent-encoded octets in upper or lower case. */
function escaped(form: string): string {
  return form
    .replaceAll(/[^\w%]/g, String.raw`\$&`)
    .replaceAll(/%(?:25)*[\da-f]{2}/gi, (octet) =>
      octet.replaceAll(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`),
    )
}
