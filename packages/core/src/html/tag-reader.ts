// Reads the attributes of one tag as the HTML tokenizer does, keeping only those that links and metadata are made of.
//
// One loop for all tags, because what stands in the quotes of an uninteresting tag must not be taken for markup either. It goes forward
// only, so its time is linear. Source: HTML standard §13.2.5.32 to §13.2.5.40.
import { decodeHTMLAttribute } from 'entities/decode'

const QUOTE = 34
const APOSTROPHE = 39
const SLASH = 47
const EQUALS = 61
const GREATER = 62

/** Whether `code` is white space in markup: tab, line feed, form feed, carriage return, space. */
export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
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
  /** Whether the tag had an end: one that the document ends within is none. */
  isWhole = false
  /** Whether it ends with `/>`: a slash at the end of an unquoted value does not count. */
  isSelfClosing = false
  /** The most attributes that any tag had, kept or not: a DOM parser is quadratic in them. */
  maxAttributes = 0
  readonly #html: string

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
    for (;;) {
      const valueEnd = at
      let code = 0
      while (at < length && (isSpace((code = html.charCodeAt(at))) || code === SLASH)) at++
      if (at >= length) return length
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
      if (html.charCodeAt(at) === EQUALS) at = this.#value(at + 1, nameStart, keeping ? nameEnd - nameStart : 0)
      else if (keeping) this.#set(nameStart, nameEnd - nameStart, '')
    }
  }

  /** Reads a value; a `nameLength` of 0 means that it is not kept. */
  #value(from: number, nameStart: number, nameLength: number): number {
    const html = this.#html
    const start = this.#afterSpace(from)
    const code = html.charCodeAt(start)
    if (code === QUOTE || code === APOSTROPHE) {
      const end = html.indexOf(code === QUOTE ? '"' : "'", start + 1)
      if (end === -1) return html.length
      if (nameLength > 0) this.#set(nameStart, nameLength, html.slice(start + 1, end))
      return end + 1
    }
    let end = start
    while (end < html.length && !isSpace(html.charCodeAt(end)) && html.charCodeAt(end) !== GREATER) end++
    if (nameLength > 0) this.#set(nameStart, nameLength, html.slice(start, end))
    return end
  }

  #endOfName(from: number): number {
    const html = this.#html
    let at = from
    while (at < html.length) {
      const code = html.charCodeAt(at)
      if (code === EQUALS || code === GREATER || code === SLASH || isSpace(code)) break
      at++
    }
    return at
  }

  #afterSpace(from: number): number {
    let at = from
    while (at < this.#html.length && isSpace(this.#html.charCodeAt(at))) at++
    return at
  }

  /** Of attributes with the same name the first counts. */
  #set(nameStart: number, nameLength: number, raw: string): void {
    const html = this.#html
    if (nameLength === 4) {
      if (isNamed(html, nameStart, 'href')) this.href ??= decoded(raw)
      else if (isNamed(html, nameStart, 'name')) this.name ??= decoded(raw)
    } else if (nameLength === 3) {
      if (isNamed(html, nameStart, 'rel')) this.rel ??= decoded(raw)
    } else if (nameLength === 7) {
      if (isNamed(html, nameStart, 'content')) this.content ??= decoded(raw)
    } else if (nameLength === 10 && isNamed(html, nameStart, 'http-equiv')) this.httpEquiv ??= decoded(raw)
  }
}

function decoded(raw: string): string {
  return raw.includes('&') ? decodeHTMLAttribute(raw) : raw
}
