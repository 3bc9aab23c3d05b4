// Finds links and metadata in HTML without building a tree: one pass over the text, forward only, linear in any input.
//
// A DOM is 90 % of what a crawler spends on a page, and of most pages only the links are read. The scanner hops from `<` to `<` and reads
// tags as the HTML tokenizer does; comments, declarations, raw text (scripts, styles, …) and quoted values cannot be taken for tags.
// What it leaves out is the tree: it does not know that a `<select>` swallows the anchors in it.
// `<noscript>` is read as by a browser without scripting, but for `<base>` and refreshes: those would lead away from what people see.
// Source: HTML standard §13.2.5; a differential test holds it to parse5.
import { foldSpace, gathered } from './element-text.ts'
import { CLOSES_FOREIGN, endOfDeclaration, endOfRawText, foreignName, rawTextName, TOO_FAR } from './skipped-markup.ts'
import { endsName, isLetter, isNamed, TagReader } from './tag-reader.ts'

/** An `<a href>` or `<area href>` as it is in the document. */
export interface FoundAnchor {
  /** Decoded, not resolved. */
  readonly href: string
  readonly text: string
  readonly nofollow: boolean
  readonly element: 'a' | 'area'
}

/** What a document says of itself, nothing of it resolved. */
export interface HtmlScan {
  /** In document order, at most 10,000, their hrefs at most 2 Mi characters together. */
  readonly anchors: readonly FoundAnchor[]
  /** Whether there was more, of which nothing is known: anchors, or what is behind a tag or comment of many MB. */
  readonly truncated: boolean
  readonly title: string
  /** Of each `<base>`, at most 10. */
  readonly bases: readonly string[]
  /** Of the first `<link rel=canonical>`. */
  readonly canonical?: string
  /** Of each `<meta>` named `robots`, or as the crawler is, at most 10. */
  readonly robots: readonly string[]
  /** Of each `<meta http-equiv=refresh>`, at most 10. */
  readonly refreshes: readonly string[]
  /** The most attributes of any tag. */
  readonly maxAttributes: number
}

const MAX_ANCHORS = 10_000
/** 200 a link when there are 10,000: only hostile pages have more. */
export const MAX_LINK_CHARACTERS: number = 2 * 2 ** 20
/** Of the longest name that is looked up, `blockquote`. */
const MAX_NAME = 10
const MAX_NAME_READ = 64
const MAX_OF_A_KIND = 10
/** Characters kept of an anchor's text. */
export const MAX_ANCHOR_TEXT = 200
const MAX_TITLE = 1_000

const EXCLAMATION = 33
const SLASH = 47
const QUESTION = 63

/**
 * Scans `html`. `agent` is the crawler's name, in lower case.
 *
 * @example
 * ```ts
 * scanHtml('<title>Shop</title><a href="/p?a=1&amp;b=2">One</a>').anchors // [{ href: '/p?a=1&b=2', text: 'One', nofollow: false, element: 'a' }]
 * ```
 */
export function scanHtml(html: string, agent?: string): HtmlScan {
  const scanner = new HtmlScanner(html, agent)
  scanner.advance(html.length)
  return scanner.found
}

/** The same, a stretch at a time: for documents that would stop the event loop. */
export class HtmlScanner {
  readonly #html: string
  readonly #agent: string | undefined
  readonly #tag: TagReader
  readonly #anchors: FoundAnchor[] = []
  readonly #bases: string[] = []
  readonly #robots: string[] = []
  readonly #refreshes: string[] = []
  #truncated = false
  #linkCharacters = 0
  /** Where the next `<` is; -1 when there is none. */
  #next: number
  /** Where the text before it begins. */
  #textStart = 0
  #canonical: string | undefined
  #title: string | undefined
  /** Of the `<a href>` that is open. */
  #href: string | undefined
  #nofollow = false
  /** Its text so far. */
  #text = ''
  #inNoscript = false
  /** `<svg>` and `<math>` that are open: there is no raw text in them, and their `<title>` is not the document's. */
  #foreignDepth = 0
  /** Open `<template>` elements, whose content is not part of the document. */
  #templateDepth = 0

  constructor(html: string, agent?: string) {
    this.#html = html
    this.#agent = agent
    this.#tag = new TagReader(html)
    this.#next = html.indexOf('<')
  }

  /** Whether all is read. */
  get isDone(): boolean {
    return this.#next === -1
  }

  /** Where it reads on. */
  get position(): number {
    return this.#next === -1 ? this.#html.length : this.#next
  }

  /** Reads on, at least up to `end`: markup that begins before it is read whole. */
  advance(end: number): void {
    const html = this.#html
    let textStart = this.#textStart
    let open = this.#next
    while (open !== -1 && open < end) {
      const code = html.charCodeAt(open + 1)
      if (isLetter(code) || code === SLASH || code === EXCLAMATION || code === QUESTION) {
        this.#addText(textStart, open)
        textStart = this.#markup(open, code)
        open = html.indexOf('<', textStart)
      } else open = html.indexOf('<', open + 1)
    }
    this.#textStart = textStart
    this.#next = open
  }

  /** What there is, once all is read. */
  get found(): HtmlScan {
    this.#addText(this.#textStart, this.#html.length)
    this.#closeAnchor()
    return {
      anchors: this.#anchors,
      truncated: this.#truncated || this.#tag.isCut,
      title: this.#title ?? '',
      bases: this.#bases,
      ...(this.#canonical !== undefined && { canonical: this.#canonical }),
      robots: this.#robots,
      refreshes: this.#refreshes,
      maxAttributes: this.#tag.maxAttributes,
    }
  }

  /** Reads the markup at `open`; returns where it ends. */
  #markup(open: number, code: number): number {
    if (isLetter(code)) return this.#startTag(open + 1, code | 32)
    if (code !== SLASH) return this.#reached(endOfDeclaration(this.#html, open, this.#foreignDepth > 0))
    const first = this.#html.charCodeAt(open + 2)
    if (isLetter(first)) return this.#endTag(open + 2, first | 32)
    return this.#reached(endOfDeclaration(this.#html, open, false))
  }

  #reached(end: number): number {
    if (end !== TOO_FAR) return end
    this.#truncated = true
    return this.#html.length
  }

  #endTag(name: number, first: number): number {
    const html = this.#html
    const nameEnd = endOfName(html, name)
    const length = nameEnd - name
    if (first === 97 && length === 1 && this.#templateDepth === 0) this.#closeAnchor()
    else if (first === 110 && length === 8 && isNamed(html, name, 'noscript')) this.#inNoscript = false
    else if (this.#templateDepth > 0 && length === 8 && isNamed(html, name, 'template')) {
      this.#templateDepth--
      this.#foreignDepth = 0
    } else if (this.#foreignDepth > 0 && foreignName(html, name, length)) this.#foreignDepth--
    return this.#tag.skip(nameEnd)
  }

  /** `first` is the first letter of the name, in lower case: it and the length distinguish most tags. */
  #startTag(name: number, first: number): number {
    const html = this.#html
    const nameEnd = endOfName(html, name)
    const length = nameEnd - name
    if (first === 97 && (length === 1 || (length === 4 && isNamed(html, name, 'area'))))
      return this.#anchor(nameEnd, length === 1)
    if (this.#foreignDepth > 0) {
      if (length > MAX_NAME || !CLOSES_FOREIGN.has(html.slice(name, nameEnd).toLowerCase())) return this.#foreign(name, nameEnd)
      this.#foreignDepth = 0
    }
    if (first === 109 && length === 4 && isNamed(html, name, 'meta')) return this.#meta(nameEnd)
    if (first === 108 && length === 4 && isNamed(html, name, 'link')) return this.#link(nameEnd)
    if (first === 98 && length === 4 && isNamed(html, name, 'base')) return this.#base(nameEnd)
    if (first === 110 && length === 8 && isNamed(html, name, 'noscript')) this.#inNoscript = true
    if (first === 116 && length === 8 && isNamed(html, name, 'template')) return this.#template(nameEnd)
    if (foreignName(html, name, length)) return this.#foreign(name, nameEnd)
    const raw = rawTextName(html, name, first)
    return raw === undefined ? this.#tag.skip(nameEnd) : this.#rawText(raw, this.#tag.skip(nameEnd))
  }

  /** Whether the tag that was kept says something: it is whole, and part of the document. */
  get #isRead(): boolean {
    return this.#tag.isWhole && this.#templateDepth === 0
  }

  #anchor(nameEnd: number, hasText: boolean): number {
    const end = this.#tag.keep(nameEnd)
    if (!this.#isRead) return end
    // Anchors cannot be nested: a new one ends the one before.
    if (hasText) this.#closeAnchor()
    const { href } = this.#tag
    if (href === undefined) return end
    const nofollow = this.#tag.rel !== undefined && hasToken(this.#tag.rel, 'nofollow')
    this.#linkCharacters += href.length
    if (this.#anchors.length >= MAX_ANCHORS || this.#linkCharacters > MAX_LINK_CHARACTERS) this.#truncated = true
    else if (hasText) {
      this.#href = href
      this.#nofollow = nofollow
      this.#text = ''
    } else this.#anchors.push({ href, text: '', nofollow, element: 'area' })
    return end
  }

  #addText(from: number, to: number): void {
    if (this.#href === undefined || this.#templateDepth > 0) return
    this.#text = gathered(this.#text, this.#html, { from, to }, MAX_ANCHOR_TEXT)
  }

  #closeAnchor(): void {
    const href = this.#href
    if (href === undefined) return
    this.#anchors.push({ href, text: foldSpace(this.#text, MAX_ANCHOR_TEXT), nofollow: this.#nofollow, element: 'a' })
    this.#href = undefined
  }

  #meta(nameEnd: number): number {
    const end = this.#tag.keep(nameEnd)
    if (!this.#isRead) return end
    const { content, name, httpEquiv } = this.#tag
    if (content === undefined) return end
    const to = name?.trim().toLowerCase()
    if (to !== undefined && (to === 'robots' || to === this.#agent) && this.#robots.length < MAX_OF_A_KIND)
      this.#robots.push(content)
    if (httpEquiv?.toLowerCase() === 'refresh' && !this.#inNoscript && this.#refreshes.length < MAX_OF_A_KIND)
      this.#refreshes.push(content)
    return end
  }

  #link(nameEnd: number): number {
    const end = this.#tag.keep(nameEnd)
    const { href, rel } = this.#tag
    if (this.#isRead && href !== undefined && rel !== undefined && hasToken(rel, 'canonical')) this.#canonical ??= href
    return end
  }

  #base(nameEnd: number): number {
    const end = this.#tag.keep(nameEnd)
    const { href } = this.#tag
    if (this.#isRead && href !== undefined && !this.#inNoscript && this.#bases.length < MAX_OF_A_KIND) this.#bases.push(href)
    return end
  }

  /** One with a shadow root is shown: its content is part of the document. */
  #template(nameEnd: number): number {
    const end = this.#tag.keep(nameEnd)
    if (this.#templateDepth > 0 || !this.#tag.isShadowRoot) this.#templateDepth++
    return end
  }

  /** A tag in foreign content, or one that begins it. */
  #foreign(name: number, nameEnd: number): number {
    const end = this.#tag.skip(nameEnd)
    if (!this.#tag.isSelfClosing && foreignName(this.#html, name, nameEnd - name)) this.#foreignDepth++
    return end
  }

  #rawText(name: string, from: number): number {
    if (name === 'plaintext') return this.#html.length
    const end = this.#reached(endOfRawText(this.#html, from, name))
    if (name === 'title' && this.#title === undefined && this.#templateDepth === 0)
      // People keep titles: a piece of a string keeps all of it in RAM in V8, a copy does not.
      this.#title = ` ${foldSpace(gathered('', this.#html, { from, to: end }, MAX_TITLE), MAX_TITLE)}`.slice(1)
    return end
  }
}

function endOfName(html: string, from: number): number {
  // What is longer is the name of nothing that matters: its rest is skipped with the tag.
  const limit = Math.min(html.length, from + MAX_NAME_READ)
  let at = from
  while (at < limit && !endsName(html.charCodeAt(at))) at++
  return at
}

function hasToken(list: string, token: string): boolean {
  return list.length === token.length
    ? list.toLowerCase() === token
    : list
        .toLowerCase()
        .split(/[\t\n\f\r ]+/)
        .includes(token)
}
