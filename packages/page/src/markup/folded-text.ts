// The text of an anchor or title as people read it: references decoded, white space folded, cut at a length.
import { decodeHTML } from 'entities/decode'

/** Raw text is gathered up to this many characters for each that is kept: white space and references shrink. */
const RAW_PER_KEPT = 10

/** Gathers text between tags, no more than it needs. */
export class FoldedText {
  #text = ''
  readonly #maxLength: number

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Adds the text between two tags. */
  add(html: string, from: number, to: number): void {
    const room = this.#maxLength * RAW_PER_KEPT - this.#text.length
    if (room <= 0 || from >= to) return
    const raw = html.slice(from, Math.min(to, from + room))
    this.#text += raw.includes('&') ? decodeHTML(raw) : raw
  }

  /** What was gathered, folded. */
  toString(): string {
    // In V8 a piece of a string keeps the whole alive; a copy does not, so that what is stored of a page does not hold the page in RAM.
    return ` ${foldSpace(this.#text, this.#maxLength)}`.slice(1)
  }
}

/** `text` with runs of white space as one space, none at the ends, at most `maxLength` characters, never half of a surrogate pair. */
export function foldSpace(text: string, maxLength: number = Infinity): string {
  const folded = /[^\S ]|\s\s|^\s|\s$/.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : text
  if (folded.length <= maxLength) return folded
  const last = folded.charCodeAt(maxLength - 1)
  return folded.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? maxLength - 1 : maxLength)
}
