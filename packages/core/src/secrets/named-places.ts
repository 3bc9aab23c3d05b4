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
/** Behind a name: `: `, ` = `, ` => `, `, `, `: [`; `] = ` behind an index. No comparison. */
const SEPARATOR = /\]?\s{0,20}(:\s{0,20}\[?|=>?(?!=)|,)\s{0,20}/y
/** Behind the name in `{ "name": "token", "value": "…" }`. */
const VALUE_KEY = /\s{0,20},\s{0,20}["'`]?(?:value|content)["'`]?\s{0,20}:\s{0,20}/iy
/** Characters; a longer string is data. */
const MAX_STRING = 8_192
const QUOTES = new Set(`"'\``)
const BEFORE_QUERY = new Set(`?&;#"'\``)
/** A quote, or what a separator begins with. */
const MAY_BE_BEHIND = new Set(`"'\`:=, \t\n\v\f\r\u00a0`)
const BACKSLASH = '\\'
/** What a name in a tag, or before a value, may have before it. */
const DATA = 'data-'
const [LESS, GREATER] = [60, 62]
const ELEMENT = /[a-z][\w:-]{0,99}/iy
/** Of all behind the name of an element. */
const MAX_INSIDE = 8_000
const MAX_TAG = MAX_INSIDE + 101
const MAX_CONTENT = 4_096
const CDATA = '<![CDATA['
const VALUE_ATTRIBUTE = /[\s"'](?:value|content|data-value)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/gi
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
          .replaceAll(/[^\w]/g, String.raw`\$&`),
      )
      .join('|')
    // Nothing more: an engine that knows how a match begins skips what cannot be one.
    this.#some = new RegExp(any, 'gi')
    this.#name = new RegExp(String.raw`(?<![\w$-])(?:${DATA})?(${any})(?![\w$-])`, 'iy')
    this.#called = new RegExp(
      String.raw`\s(?:name|id|property|itemprop|http-equiv)\s{0,9}=\s{0,9}(["']?)(${any})\1(?=[\s/"']|$)`,
      'i',
    )
    this.#element = new RegExp(`^(?:${any})$`, 'i')
    this.#attribute = new RegExp(String.raw`\s(?:${DATA})?(${any})\s{0,9}=\s{0,9}([^\s"'<>]+)`, 'gi')
  }

  /** Where in `text`, one octet a character, a name is, or what is part of a longer one; undefined where there are more than `most`. */
  startsIn(text: string, most: number): readonly number[] | undefined {
    const some = this.#some
    const starts: number[] = []
    some.lastIndex = 0
    for (let found = some.exec(text); found !== null; found = some.exec(text)) {
      if (starts.length === most) return undefined
      starts.push(found.index)
      // Another name may begin within this one.
      some.lastIndex = found.index + 1
    }
    return starts
  }

  /** All behind `starts` of `text`: those in tags, and then the others. Undefined where there are more than `most`. */
  in(text: string, starts: readonly number[], most: number): readonly NamedPlace[] | undefined {
    const places: NamedPlace[] = []
    for (const tag of tagsAround(text, starts)) {
      this.#addTag(places, text, tag)
      if (places.length > most) return undefined
    }
    for (const place of this.#behind(text, starts)) {
      places.push(place)
      if (places.length > most) return undefined
    }
    return places
  }

  *#behind(text: string, starts: readonly number[]): Generator<NamedPlace> {
    const named = this.#name
    let free = 0
    for (const at of starts) {
      const start = text[at - 1] === '-' && text.slice(at - DATA.length, at).toLowerCase() === DATA ? at - DATA.length : at
      if (start < free) continue
      named.lastIndex = start
      const name = named.exec(text)?.[1]
      if (name === undefined) continue
      free = named.lastIndex
      const place = placeBehind(text, { start, end: free }, name)
      if (place === undefined) continue
      yield place
      free = Math.max(free, place.end)
    }
  }

  #addTag(places: NamedPlace[], text: string, { start, end }: SecretSpan): void {
    const element = read(ELEMENT, text, start + 1)
    if (element === undefined) return
    const at = start + 1 + element.length
    if (end - at > MAX_INSIDE) return
    const inside = text.slice(at, end)
    const hasValues = inside.includes('=')
    for (const found of hasValues ? inside.matchAll(this.#attribute) : [])
      addAttribute(places, found, { at, value: found[2], name: found[1] ?? '', isSure: false })
    const name = this.#element.test(element) ? element : hasValues ? this.#called.exec(inside)?.[2] : undefined
    if (name === undefined) return
    const isSure = FIELDS.has(element.toLowerCase())
    for (const found of hasValues ? inside.matchAll(VALUE_ATTRIBUTE) : [])
      addAttribute(places, found, { at, value: found[1] ?? found[2] ?? found[3], name, isSure })
    const content = contentAt(text, end + 1)
    const isField = element.toLowerCase() === 'textarea'
    if (content.value !== '') places.push({ ...content, name: name.toLowerCase(), isSure: isField })
  }
}

/** The tags, from `<` to `>`, that one of `starts` is in. There is neither sign in a tag, so each character is looked at once. */
function tagsAround(text: string, starts: readonly number[]): SecretSpan[] {
  const tags: SecretSpan[] = []
  let [seen, end] = [-1, -1]
  for (const at of starts) {
    let start = at - 1
    while (start > seen && text.charCodeAt(start) !== LESS && text.charCodeAt(start) !== GREATER) start--
    seen = at - 1
    if (at < end || text.charCodeAt(start) !== LESS) continue
    const most = Math.min(text.length, start + MAX_TAG + 1)
    end = at
    while (end < most && text.charCodeAt(end) !== LESS && text.charCodeAt(end) !== GREATER) end++
    if (text.charCodeAt(end) === GREATER) tags.push({ start, end })
  }
  return tags
}

/** What an element has before the next tag, or the end of its character data. */
function contentAt(text: string, at: number, before = '<'): Pick<NamedPlace, 'start' | 'end' | 'value'> {
  if (text.startsWith(CDATA, at)) return contentAt(text, at + CDATA.length, ']]>')
  const most = text.slice(at, at + MAX_CONTENT)
  const next = most.indexOf(before)
  const content = next === -1 ? most : most.slice(0, next)
  const value = content.trim()
  const start = at + content.indexOf(value)
  return { start, end: start + value.length, value }
}

/** `value` of `found`, an attribute in the inside of a tag that begins at `at`: it is at the end of it, perhaps with a quote behind it. */
function addAttribute(places: NamedPlace[], found: RegExpExecArray, { at, value, ...of }: Attribute): void {
  if (value === undefined || value === '') return
  const end = at + found.index + found[0].length - (found[0].endsWith(value) ? 0 : 1)
  places.push({ start: end - value.length, end, value, name: of.name.toLowerCase(), isSure: of.isSure })
}

interface Attribute extends Pick<NamedPlace, 'name' | 'isSure'> {
  readonly at: number
  readonly value: string | undefined
}

/** What the name at `of` names. */
function placeBehind(text: string, of: SecretSpan, written: string): NamedPlace | undefined {
  if (!MAY_BE_BEHIND.has(text[of.end] ?? '')) return undefined
  const name = written.toLowerCase()
  const before = text[of.start - 1] ?? '?'
  const isCookie = before === ' ' && text[of.start - 2] === ';'
  if (text[of.end] === '=' && (isCookie || BEFORE_QUERY.has(before))) {
    const at = of.end + 1
    const value = read(IN_QUERY, text, at)
    if (value !== undefined) return { start: at, end: at + value.length, value, name, isSure: !isCookie }
  }
  const isQuoted = QUOTES.has(before) && text[of.end] === before
  const end = isQuoted ? of.end + 1 : of.end
  const separator = read(SEPARATOR, text, end)
  if (separator === undefined) return undefined
  const at = end + separator.length
  const lead = text.slice(Math.max(0, of.start - 30), of.start)
  if (!separator.includes(','))
    return stringAt(text, at, name) ?? (isQuoted || BEFORE_BARE.test(lead) ? numberAt(text, at, name) : undefined)
  if (!isQuoted) return undefined
  const key = read(VALUE_KEY, text, end)
  if (key !== undefined) return stringAt(text, end + key.length, name) ?? numberAt(text, end + key.length, name)
  return BEFORE_PAIR.test(lead) ? stringAt(text, at, name) : undefined
}

/** What is in the quotes at `at`, with its escapes. */
function stringAt(text: string, at: number, name: string): NamedPlace | undefined {
  const quote = text[at] ?? ''
  if (!QUOTES.has(quote)) return undefined
  const most = Math.min(text.length, at + MAX_STRING)
  const start = at + 1
  for (let end = start; end < most; end++) {
    if (text[end] === quote) return end === start ? undefined : { start, end, value: text.slice(start, end), name, isSure: false }
    if (text[end] === BACKSLASH) end++
  }
  return undefined
}

function numberAt(text: string, at: number, name: string): NamedPlace | undefined {
  const value = read(INTEGER, text, at)
  return value === undefined ? undefined : { start: at, end: at + value.length, value, name, isSure: false }
}

function read(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
