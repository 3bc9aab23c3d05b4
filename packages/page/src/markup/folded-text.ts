// The text of an anchor or title as people read it: references decoded, white space folded, cut at a length.
import { decodeHTML } from 'entities/decode'

/** Raw text is gathered up to this many characters for each that is kept: white space and references shrink. */
const RAW_PER_KEPT = 10

/** Where text is between two tags. */
interface Stretch {
  readonly from: number
  readonly to: number
}

/** `text`, and what is between two tags of `html`, decoded: no more than `foldSpace` needs for `maxLength` characters. */
export function gathered(text: string, html: string, { from, to }: Stretch, maxLength: number): string {
  const room = maxLength * RAW_PER_KEPT - text.length
  if (room <= 0 || from >= to) return text
  const raw = html.slice(from, Math.min(to, from + room))
  return text + (raw.includes('&') ? decodeHTML(raw) : raw)
}

/** `text` with runs of white space as one space, none at the ends, at most `maxLength` characters, never half of a surrogate pair. */
export function foldSpace(text: string, maxLength: number = Infinity): string {
  const folded = /[^\S ]|\s\s|^\s|\s$/.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : text
  if (folded.length <= maxLength) return folded
  const last = folded.charCodeAt(maxLength - 1)
  return folded.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? maxLength - 1 : maxLength)
}
