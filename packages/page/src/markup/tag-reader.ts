// Reads the attributes of one tag as the HTML tokenizer does, keeping only those that links and metadata are made of.
//
// One loop for all tags, because the quoted values of an uninteresting tag must not be taken for markup either. It goes forward
// only, so its time is linear. Source: HTML standard §13.2.5.32 to §13.2.5.40.
import { decodeAttributeReferences } from './character-references.ts'

/** Of longer values the rest is not read, so that 9 MB of character references do not become 9 million pieces. */
export const MAX_VALUE_CHARACTERS: number = 8 * 2_048
/** Resolves to nothing: half of a target is another target. */
const NO_TARGET = '//'
/**
 * Names, white space and unquoted values of one tag, which are read character by character; quoted values are not, and do not count. A tag with more
 * ends the document: reading on would take the event loop for as long as it likes.
 */
const MAX_TAG_CHARACTERS = 2 ** 20

const QUOTE = 34
const APOSTROPHE = 39
const SLASH = 47
const EQUALS = 61
const GREATER = 62

/** Whether `code` is white space in markup: tab, line feed, form feed, carriage return, space. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
}

/** Whether `code` begins the name of a tag. */
export function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}

/** Whether `code` ends the name of a tag. */
export function endsName(code: number): boolean {
  return code === GREATER || code === SLASH || isSpace(code)
}

/** Whether the characters of `text` at `at`, in any case, are `name` (lower case). */
export function isNamed(text: string, at: number, name: string): boolean {
  for (let n = 0; n < name.length; n++) {
    if ((text.charCodeAt(at + n) | 32) !== name.charCodeAt(n)) return false
  }
  return true
}

/** A reader of tags; its fields are those of the tag that was kept last. */
export class TagReader {
  href: string | undefined
  rel: string | undefined
  name: string | undefined
  content: string | undefined
  httpEquiv: string | undefined
  /** Whether a template has the attribute `shadowrootmode`. */
  isShadowRoot = false
  /** Whether the tag had an end: one that the document ends within is none. */
  isWhole = false
  /** Whether it ends with `/>`: a slash at the end of an unquoted value does not count. */
  isSelfClosing = false
  /** Whether a tag was so long that the document counts as ended there. */
  isCut = false
  /** The most attributes that any tag had, kept or not: a DOM parser is quadratic in them. */
  maxAttributes = 0
  readonly #html: string
  /** How far the tag may go; the length of the document when that is nearer. */
  #limit = 0
  #valueStart = 0
  #valueEnd = 0

  constructor(html: string) {
    this.#html = html
  }

  /** Reads and keeps the attributes from `from` (the end of the tag's name) on. Returns what `skip` does. */
  keep(from: number): number {
    this.href = undefined
    this.rel = undefined
    this.name = undefined
    this.content = undefined
    this.httpEquiv = undefined
    this.isShadowRoot = false
    return this.#read(from, true)
  }

  /** The index after the tag's `>`; the length of the document when it ends within the tag. */
  skip(from: number): number {
    return this.#read(from, false)
  }

  #read(from: number, keeping: boolean): number {
    const html = this.#html
    const { length } = html
    let at = from
    let count = 0
    this.isWhole = false
    this.#limit = Math.min(length, from + MAX_TAG_CHARACTERS)
    // The rest of a name that was too long to matter: a quote in it begins no value.
    while (at < this.#limit && !endsName(html.charCodeAt(at))) at++
    for (;;) {
      const limit = this.#limit
      const valueEnd = at
      let code = 0
      while (at < limit && (isSpace((code = html.charCodeAt(at))) || code === SLASH)) at++
      if (at >= limit) return this.#end(count)
      if (code === GREATER) {
        this.isWhole = true
        this.isSelfClosing = at > valueEnd && html.charCodeAt(at - 1) === SLASH
        if (count > this.maxAttributes) this.maxAttributes = count
        return at + 1
      }
      count++
      const nameStart = at
      // An equals sign at the start belongs to the name.
      at = this.#endOfName(at + 1)
      const nameEnd = at
      at = this.#afterSpace(at)
      if (html.charCodeAt(at) === EQUALS) at = this.#endOfValue(at + 1)
      else this.#valueStart = this.#valueEnd = at
      if (keeping) this.#set(nameStart, nameEnd - nameStart)
    }
  }

  /** The document ends within the tag, or counts as if it did. */
  #end(attributes: number): number {
    if (this.#limit < this.#html.length) {
      this.isCut = true
      this.maxAttributes = Math.max(this.maxAttributes, attributes)
    }
    return this.#html.length
  }

  #endOfValue(from: number): number {
    const html = this.#html
    const start = this.#afterSpace(from)
    const code = html.charCodeAt(start)
    if (code === QUOTE || code === APOSTROPHE) {
      const end = html.indexOf(code === QUOTE ? '"' : "'", start + 1)
      this.#valueStart = start + 1
      this.#valueEnd = end === -1 ? html.length : end
      this.#limit = Math.min(html.length, this.#limit + this.#valueEnd - start)
      return Math.min(html.length, this.#valueEnd + 1)
    }
    const limit = this.#limit
    let end = start
    while (end < limit && !isSpace(html.charCodeAt(end)) && html.charCodeAt(end) !== GREATER) end++
    this.#valueStart = start
    this.#valueEnd = end
    return end
  }

  #endOfName(from: number): number {
    const html = this.#html
    const limit = this.#limit
    let at = from
    while (at < limit) {
      const code = html.charCodeAt(at)
      if (code === EQUALS || code === GREATER || code === SLASH || isSpace(code)) break
      at++
    }
    return at
  }

  #afterSpace(from: number): number {
    const html = this.#html
    const limit = this.#limit
    let at = from
    while (at < limit && isSpace(html.charCodeAt(at))) at++
    return at
  }

  /** Of attributes with the same name the first counts. */
  #set(nameStart: number, nameLength: number): void {
    const html = this.#html
    if (nameLength === 4) {
      if (isNamed(html, nameStart, 'href')) this.href ??= target(this.#value)
      else if (isNamed(html, nameStart, 'name')) this.name ??= decoded(this.#value)
    } else if (nameLength === 3) {
      if (isNamed(html, nameStart, 'rel')) this.rel ??= decoded(this.#value)
    } else if (nameLength === 7) {
      if (isNamed(html, nameStart, 'content')) this.content ??= decoded(this.#value)
    } else if (nameLength === 10 && isNamed(html, nameStart, 'http-equiv')) this.httpEquiv ??= decoded(this.#value)
    else if (nameLength === 14 && isNamed(html, nameStart, 'shadowrootmode')) this.isShadowRoot = true
  }

  /** The value that was read last, as it is written. */
  get #value(): string {
    return this.#html.slice(this.#valueStart, this.#valueEnd)
  }
}

function decoded(raw: string): string {
  return decodeAttributeReferences(raw.length > MAX_VALUE_CHARACTERS ? raw.slice(0, MAX_VALUE_CHARACTERS) : raw)
}

/** An href that is whole, or of which only the fragment is cut. */
function target(raw: string): string {
  const href = decoded(raw)
  return raw.length > MAX_VALUE_CHARACTERS && !href.includes('#') ? NO_TARGET : href
}
