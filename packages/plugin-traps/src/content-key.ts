// What a body says, as one number: equal for pages that differ only in links, their order, session identifiers and nonces.
//
// Hashed are all words but those of links: texts, attributes (of two photographs nothing else differs), names of tags. Left out are comments, addresses of the
// site that are shown as they are, and tokens that may be made anew for each answer: those in attributes of tags that show nothing (a form's nonce), and the
// page's own. A checksum in a text may be all that a page has to say. Where a date varies in the URL, numbers of that date and of the days beside it do not
// count; all other numbers do, for in an archive of prices nothing else differs. Words are summed up, so the same list in another order says the same. A
// similarity hash (simhash) was rejected: pages of one template share most of their words, so a distance that is small enough for a trap is small enough for a
// shop.
import { crc32 } from 'node:zlib'
import { dateNumbers } from './url-patterns.ts'

/** Bytes whose words are looked at; behind them each byte counts: a trap that is so large is followed rather than a shop closed. */
const MAX_HEAD = 64 * 1024
/** A page of fewer words says nothing. */
const MIN_WORDS = 3
/** Tags that say where something leads, and no more; a link with the address that it shows, of which nothing follows either. */
const LEADING =
  /<a(?![\w-])[^<>]*>(?:[^<>\s/]*\/(?!\/)[^<>\s]*(?=<))?|<(?:(?:link|form|base|area)(?![\w-])|meta http-equiv)[^<>]*>/gi
/** A tag that shows nothing unless its style has an image, and has something that may be a nonce. */
const SILENT = /<(?!img|source|video|audio|object|embed|iframe)[^<>]{8,}>/gi
/** One octet a character: all that is not ASCII is part of a word. */
const WORD = /[a-z\d\u0080-\u00ff]+/gi
const LONG_WORD = /[a-z\d\u0080-\u00ff]{8,}/gi
/** Of one in a tag that shows nothing; longer ones are encoded data. */
const MAX_HIDDEN = 24
/** Hexadecimal, or longer yet. A number alone is none, however long: products have such. */
const TOKEN = /^(?=.*[a-z\u0080-\u00ff])(?=.*\d)(?:[\da-f]{8,}|.{16,})$/i
/** Bytes at the beginning that are looked at: title and first heading. */
const MAX_TITLE = 2_048
/** Characters of items that are looked at. */
const MAX_CHARACTERS = 8_192
/** Moments as `Date` writes them into JSON: what a handler notes of the visit, not of the page. */
const MOMENT = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g
const FNV_PRIME = 0x01_00_01_93
const MISSING =
  /\b(?:page|file|url|document|article|product|nothing)[^.<>]{0,40}(?:not|n't|no longer|cannot be)\s(?:be\s)?(?:found|exist|available)|(?:^|\b(?:error|status|http))\s*404\b|\bnot found\b/i

/** A key of 31 bits for the page of `url`, or undefined where there are too few words. */
export function contentKey(body: Uint8Array, url: string): number | undefined {
  const text = latin1(body, MAX_HEAD)
  const says = { url, isMissing: saysMissing(body), numbers: dateNumbers(url) }
  let [count, sum] = [0, 0]
  const add = (hash: number): void => {
    // Scrambled, for sums of similar numbers are alike.
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d)
    sum = (sum + (mixed ^ (mixed >>> 12))) | 0
    count++
  }
  const shown = withoutComments(text)
    .replace(LEADING, ' ')
    .replace(SILENT, (tag) =>
      tag.includes('url(') ? tag : tag.replace(LONG_WORD, (word) => (word.length > MAX_HIDDEN || TOKEN.test(word) ? ' ' : word)),
    )
  for (const word of shown.match(WORD) ?? []) if (!saysNothing(word, says)) add(textHash(word))
  if (body.length > MAX_HEAD) add(crc32(body.subarray(MAX_HEAD)))
  return count < MIN_WORDS ? undefined : (sum ^ Math.imul(count, FNV_PRIME)) >>> 1
}

/** What items (JSON) of the page of `url` say. A negative key, so that no content has it. */
export function itemsKey(items: readonly string[], url: string): number {
  let text = ''
  for (const item of items) if (text.length < MAX_CHARACTERS) text += item.slice(0, MAX_CHARACTERS - text.length)
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  const known = text.replaceAll(MOMENT, '').replaceAll(url, '').replaceAll(`"${path}"`, '')
  const numbers = dateNumbers(url)
  const undated = numbers.size === 0 ? known : known.replaceAll(/\d+/g, (digits) => (numbers.has(Number(digits)) ? '' : digits))
  return -1 - textHash(undated)
}

/** A text as one number of 31 bits, at least 0: an FNV hash, by the units of the text. */
function textHash(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME) + 1
  return hash >>> 1
}

/** By title and first heading. Of English pages, and of all that name the status. */
export function saysMissing(body: Uint8Array): boolean {
  for (const [, text = ''] of latin1(body, MAX_TITLE).matchAll(/<(?:title|h1)\b[^>]{0,200}>([^<]{0,200})/gi))
    if (MISSING.test(text)) return true
  return false
}

/** What follows from the URL of a page. */
interface Known {
  readonly url: string
  /** Of a page that says that it is missing, all with digits say nothing, and what its URL has. */
  readonly isMissing: boolean
  readonly numbers: ReadonlySet<number>
}

function saysNothing(word: string, { url, isMissing, numbers }: Known): boolean {
  if (isMissing && (/\d/.test(word) || url.includes(word))) return true
  if (word.length >= 8 && TOKEN.test(word)) return url.includes(word)
  return numbers.size > 0 && word.length <= 8 && numbers.has(Number(word))
}

/** A comment may hold anything, tags too. */
function withoutComments(text: string): string {
  const [first = '', ...others] = text.split('<!--')
  return first + others.map((other) => ` ${other.slice(other.indexOf('-->') + 1)}`).join('')
}

function latin1(body: Uint8Array, most: number): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, most)).toString('latin1')
}
