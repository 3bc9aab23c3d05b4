// Finds the tags and texts of XML that comes in pieces, well-formed or not: twice as fast as a general parser, for it builds nothing.
//
// What lies between two `<` is looked at once: a tag ends at its `>` outside of quotes, or, if that is missing, at the next `<`. Comments, CDATA, declarations
// and processing instructions end where XML says, over pieces. So time is linear, and what is kept between two pieces is a tag that has begun, up to a cap.
// Measured on 50,000 URLs in 9.7 MB, 15 rounds in turn with htmlparser2: 84 against 169 ms at least, 122 against 236 ms in the median.
// Source: XML 1.0 §2.

/** A longer tag is passed over. */
const MOST_TAG_CHARACTERS = 65_536
const ENTITY = /&(?:#[xX]([0-9a-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
/** A name begins where no name is before it: otherwise one without a value would be tried from each of its characters. */
const ATTRIBUTE = /(?<![^\s=/"'])([^\s=/"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Takes what is found, in order. Texts are as they stand in the file (`unescaped` reads them), those of CDATA escaped like the others. */
export interface XmlEvents {
  /** Whether texts are wanted: between the elements of a list there are as many as in them. */
  readonly wantsText: boolean
  /** `attributes`: what stands behind the name. */
  open(name: string, attributes: string): void
  /** In lower case, like the name of `open`. */
  close(name: string): void
  text(text: string): void
}

/** Where a construct that is not looked into ends. */
interface Skipping {
  readonly until: string
  readonly isText: boolean
}

/** Scans one document. */
export class XmlScanner {
  readonly #events: XmlEvents
  #rest = ''
  #skipping: Skipping | undefined

  constructor(events: XmlEvents) {
    this.#events = events
  }

  /** Whether what has come ends inside of a tag: then the text before it is whole. */
  get isInTag(): boolean {
    return this.#rest.startsWith('<')
  }

  /** Whether what has come ends inside of a comment, a CDATA section or a declaration: all behind its beginning was passed over. */
  get isSkipping(): boolean {
    return this.#skipping !== undefined
  }

  write(piece: string): void {
    const text = this.#rest + piece
    this.#rest = ''
    let at = 0
    while (at < text.length) {
      if (this.#skipping !== undefined) at = this.#skip(text, at, this.#skipping)
      else {
        const start = text.indexOf('<', at)
        const end = start === -1 ? text.length : start
        if (end > at && this.#events.wantsText) this.#events.text(text.slice(at, end))
        at = start === -1 ? end : this.#markup(text, start)
      }
      if (this.#rest !== '') return
    }
  }

  /** What begins at `start`; returns where to go on. */
  #markup(text: string, start: number): number {
    const next = text.charCodeAt(start + 1)
    if (next === 0x21) return this.#declaration(text, start)
    if (next === 0x3f) return this.#begin(start + 2, { until: '?>', isText: false })
    if (Number.isNaN(next)) return this.#wait(text, start)
    return this.#tag(text, start)
  }

  #declaration(text: string, start: number): number {
    if (text.startsWith('<!--', start)) return this.#begin(start + 4, { until: '-->', isText: false })
    if (text.startsWith('<![CDATA[', start)) return this.#begin(start + 9, { until: ']]>', isText: true })
    if (text.length - start < 9) return this.#wait(text, start)
    const end = text.indexOf('>', start)
    const subset = text.indexOf('[', start)
    if (subset !== -1 && (end === -1 || subset < end)) return this.#begin(subset + 1, { until: ']>', isText: false })
    return end === -1 ? this.#wait(text, start) : end + 1
  }

  #begin(at: number, skipping: Skipping): number {
    this.#skipping = skipping
    return at
  }

  #skip(text: string, at: number, { until, isText }: Skipping): number {
    const end = text.indexOf(until, at)
    // A part of its end may have come.
    const known = end === -1 ? Math.max(at, text.length - until.length + 1) : end
    if (isText && known > at) this.#events.text(text.slice(at, known).replaceAll('&', '&#38;'))
    if (end === -1) {
      this.#rest = text.slice(known)
      return text.length
    }
    this.#skipping = undefined
    return end + until.length
  }

  #tag(text: string, start: number): number {
    const next = text.indexOf('<', start + 1)
    const bound = next === -1 ? text.length : next
    const end = endOfTag(text, start + 1, bound)
    if (end === -1 && next === -1) return this.#wait(text, start)
    const inside = text.slice(start + 1, end === -1 ? bound : end)
    this.#tell(inside)
    return end === -1 ? bound : end + 1
  }

  #tell(inside: string): void {
    if (inside.charCodeAt(0) === 0x2f) return this.#events.close(inside.slice(1).trim().toLowerCase())
    const end = endOfName(inside)
    if (end === 0) return this.#events.text('&#60;')
    const name = inside.slice(0, end)
    this.#events.open(name.toLowerCase(), inside.length === name.length ? '' : inside.slice(name.length))
    if (inside.endsWith('/')) this.#events.close(name.toLowerCase())
  }

  /** The tag at `start` has not ended. */
  #wait(text: string, start: number): number {
    if (text.length - start <= MOST_TAG_CHARACTERS) this.#rest = text.slice(start)
    else this.#skipping = { until: '>', isText: false }
    return text.length
  }
}

/** How many characters at the beginning are a name. */
function endOfName(inside: string): number {
  let at = 0
  while (at < inside.length && inside.charCodeAt(at) > 0x20 && inside.charCodeAt(at) !== 0x2f) at++
  return at
}

/** Where the tag that begins at `start` has its `>`, before `bound`; the first one of all if a quote is not closed. -1: there is none. */
function endOfTag(text: string, start: number, bound: number): number {
  const first = text.indexOf('>', start)
  if (first === -1 || first >= bound) return -1
  let quote = 0
  for (let at = start; at < bound; at++) {
    const code = text.charCodeAt(at)
    if (quote !== 0) quote = code === quote ? 0 : quote
    else if (code === 0x22 || code === 0x27) quote = code
    else if (code === 0x3e) return at
  }
  return first
}

/** A text or the value of an attribute, as it is meant. What is no reference stays. */
export function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(ENTITY, (all, hex?: string, decimal?: string, name = '') => {
    if (hex === undefined && decimal === undefined) return NAMED[name as string] ?? all
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}

/** The attributes of a tag, by their names in lower case. */
export function attributesOf(text: string): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', double, single = ''] of text.matchAll(ATTRIBUTE))
    attributes[name.toLowerCase()] ??= unescaped(double ?? single)
  return attributes
}
