// Finds the places in a text where a value has one of certain names: in a query, a form, a cookie, JSON, a script, an attribute, an element.
//
// One level of escapes is read here as a parser of that level would; decoded-layers.ts supplies the others. What is read as a place is left behind, so the
// time is linear in the text.
import type { SecretSpan } from './value-search.ts'

/** A value with a name. */
export interface NamedPlace extends SecretSpan {
  /** In lower case. */
  readonly name: string
  /** As it is in the text, one octet a character. */
  readonly value: string
  /** Whether the value of a parameter stands here and nothing else can: in a query, or in a field of a form. */
  readonly isSure: boolean
}

/** Up to the next separator of a query, or the end of the string that it is in. */
const IN_QUERY = /[^&"'`<>\s#;\\]+/y
const INTEGER = /-?\d{6,}(?![\w.])/y
/** Behind a name: `: `, ` = `, ` => `, `, `. No comparison. */
const SEPARATOR = /\s{0,20}(:|=>?(?!=)|,)\s{0,20}/y
/** Behind the name in `{ "name": "token", "value": "…" }`. */
const VALUE_KEY = /\s{0,20},\s{0,20}["'`]?(?:value|content)["'`]?\s{0,20}:\s{0,20}/iy
/** Characters; a longer string is data. */
const MAX_STRING = 8_192
const BACKSLASH = '\\'
/** A tag ends before the next one begins, so that each character is looked at once. */
const TAG = /<([a-z][\w:-]{0,99})([^<>]{0,8000})>([^<]{0,4096})/gi
const VALUE_ATTRIBUTE = /[\s"'](?:value|content|data-value)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/dgi
const FIELDS = new Set(['input', 'textarea', 'button'])
/** What may stand before a number with a bare name, in code. */
const BEFORE_BARE = /(?:[{,;(]|\b(?:var|let|const))\s{0,20}$/
/** Arguments of a call, or a list of two. */
const BEFORE_PAIR = /[([]\s{0,20}["'`]$/

/** Looks for values with certain names. */
export class NamedPlaces {
  readonly #some: RegExp
  readonly #name: RegExp
  readonly #called: RegExp
  readonly #element: RegExp
  readonly #attribute: RegExp

  /** `names`: decoded, at least one. */
  constructor(names: readonly string[]) {
    const any = names
      .map((name) =>
        Buffer.from(name)
          .toString('latin1')
          .replace(/[^\w]/g, String.raw`\$&`),
      )
      .join('|')
    this.#some = new RegExp(any, 'i')
    this.#name = new RegExp(String.raw`(?<![\w$-])(?:data-)?(${any})(?![\w$-])`, 'gi')
    this.#called = new RegExp(
      String.raw`\s(?:name|id|property|itemprop|http-equiv)\s{0,9}=\s{0,9}(["']?)(${any})\1(?=[\s/"']|$)`,
      'i',
    )
    this.#element = new RegExp(`^(?:${any})$`, 'i')
    this.#attribute = new RegExp(String.raw`\s(?:data-)?(${any})\s{0,9}=\s{0,9}([^\s"'<>]+)`, 'dgi')
  }

  /** All of `text`, one octet a character. */
  *in(text: string): Generator<NamedPlace> {
    const names = new RegExp(this.#name)
    if (!this.#some.test(text)) return
    yield* this.#inTags(text)
    for (let found = names.exec(text); found !== null; found = names.exec(text)) {
      const place = placeBehind(text, { start: found.index, end: names.lastIndex }, found[1] ?? '')
      if (place === undefined) continue
      yield place
      names.lastIndex = Math.max(names.lastIndex, place.end)
    }
  }

  *#inTags(text: string): Generator<NamedPlace> {
    for (const { index, 0: whole, 1: element = '', 2: inside = '', 3: content = '' } of text.matchAll(TAG)) {
      if (!this.#some.test(element) && !this.#some.test(inside)) continue
      const at = index + 1 + element.length
      for (const found of inside.matchAll(this.#attribute))
        yield* placeOf(found, { at, group: 2, name: found[1] ?? '', isSure: false })
      const name = this.#element.test(element) ? element : this.#called.exec(inside)?.[2]
      if (name === undefined) continue
      const isSure = FIELDS.has(element.toLowerCase())
      for (const found of inside.matchAll(VALUE_ATTRIBUTE)) {
        const group = [1, 2, 3].find((number) => found[number] !== undefined) ?? 1
        yield* placeOf(found, { at, group, name, isSure })
      }
      const value = content.trim()
      const start = index + whole.length - content.length + content.indexOf(value)
      const isField = element.toLowerCase() === 'textarea'
      if (value !== '') yield { start, end: start + value.length, value, name: name.toLowerCase(), isSure: isField }
    }
  }
}

/** Which group of a match is a value, of a text that begins at `at`. */
interface AttributeOf extends Pick<NamedPlace, 'name' | 'isSure'> {
  readonly at: number
  readonly group: number
}

function* placeOf(found: RegExpExecArray, { at, group, name, isSure }: AttributeOf): Generator<NamedPlace> {
  const value = found[group]
  const [start, end] = found.indices?.[group] ?? [0, 0]
  if (value !== undefined && value !== '') yield { start: at + start, end: at + end, value, name: name.toLowerCase(), isSure }
}

/** What the name at `of` names. */
function placeBehind(text: string, of: SecretSpan, written: string): NamedPlace | undefined {
  const name = written.toLowerCase()
  const before = text[of.start - 1] ?? '?'
  const isCookie = before === ' ' && text[of.start - 2] === ';'
  if (text[of.end] === '=' && (isCookie || /[?&;#"'`]/.test(before))) {
    const at = of.end + 1
    const value = read(IN_QUERY, text, at)
    if (value !== undefined) return { start: at, end: at + value.length, value, name, isSure: !isCookie }
  }
  const isQuoted = /["'`]/.test(before) && text[of.end] === before
  const end = isQuoted ? of.end + 1 : of.end
  const separator = read(SEPARATOR, text, end)
  if (separator === undefined) return undefined
  const lead = text.slice(Math.max(0, of.start - 30), of.start)
  if (!separator.includes(','))
    return valueAt(text, end + separator.length, { name, isNumber: isQuoted || BEFORE_BARE.test(lead) })
  if (!isQuoted) return undefined
  const key = read(VALUE_KEY, text, end)
  if (key !== undefined) return valueAt(text, end + key.length, { name, isNumber: true })
  return BEFORE_PAIR.test(lead) ? valueAt(text, end + separator.length, { name, isNumber: false }) : undefined
}

function valueAt(
  text: string,
  at: number,
  { name, isNumber }: { readonly name: string; readonly isNumber: boolean },
): NamedPlace | undefined {
  const value = stringAt(text, at)
  if (value !== undefined) return { start: at + 1, end: at + 1 + value.length, value, name, isSure: false }
  const number = isNumber ? read(INTEGER, text, at) : undefined
  return number === undefined ? undefined : { start: at, end: at + number.length, value: number, name, isSure: false }
}

/** What is in the quotes at `at`, with its escapes. */
function stringAt(text: string, at: number): string | undefined {
  const quote = text[at] ?? ''
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined
  const most = Math.min(text.length, at + MAX_STRING)
  for (let end = at + 1; end < most; end++) {
    if (text[end] === quote) return end === at + 1 ? undefined : text.slice(at + 1, end)
    if (text[end] === BACKSLASH) end++
  }
  return undefined
}

function read(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
