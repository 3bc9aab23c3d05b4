// What a body says, as one number: equal for pages that differ only in links, their order, session identifiers and nonces.
//
// Hashed are all words but those of links: texts, attributes (of two photographs nothing else differs), names of tags; straight from the bytes: no
// decoding, no tree. Left out are comments, addresses of the site that are shown as they are, and tokens that may be made anew for each answer: those
// in attributes of tags that show nothing (a form's nonce), and the page's own. A checksum in a text may be all that a page has to say. Where a date
// varies in the URL, names of months and days and numbers of that date and of the days beside it do not count; all other numbers do, for in an
// archive of prices nothing else differs. Words are summed up, so the same list in another order says the same. A similarity hash (simhash) was
// rejected: pages of one template share most of their words, so a distance that is small enough for a trap is small enough for a shop.
import { crc32 } from 'node:zlib'

/** Bytes whose words are looked at: so many from the beginning, and from the end of what is longer. */
const MAX_HEAD = 128 * 1024
const MAX_TAIL = 64 * 1024
/** A page of fewer words says nothing. */
const MIN_WORDS = 3
/** Of a word in a tag that shows nothing; longer ones are encoded data. */
const MAX_WORD = 24
/** Of a number that may be part of a date, with zeros before it. */
const MAX_DATE_DIGITS = 8
const MIN_HEX = 8
const MIN_MIXED = 16
/** Of a link's text: longer ones are no address. */
const MAX_ADDRESS = 200
// As a signed number: what Math.imul gives is one, and V8 keeps it out of the heap.
const FNV_OFFSET = 0x81_1c_9d_c5 | 0
const FNV_PRIME = 0x01_00_01_93
/** Languages of calendars that are met most. */
const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'ja', 'zh']
/** A leap year has each day of the year, and with it each month and weekday. */
const YEAR = 2024
let known: ReadonlySet<string> | undefined

/** What follows from the URL of a page. */
export interface OwnWords {
  /** Words that are such a number say nothing. */
  readonly dateNumbers: ReadonlySet<number>
  /** Tokens with one of these hashes say nothing (`wordsOf`); of a page that says that it is missing, any such words, and all with digits. */
  readonly own: ReadonlySet<number>
  readonly isMissing: boolean
}

/** A key of 31 bits, or undefined where there are too few words. */
export function contentKey(body: Uint8Array, own: OwnWords = NOTHING): number | undefined {
  const words = new Words(body, own)
  if (body.length <= MAX_HEAD + MAX_TAIL) words.read(0, body.length)
  else {
    words.read(0, MAX_HEAD)
    words.read(body.length - MAX_TAIL, body.length)
    // Between them each byte counts, tokens as well: a trap that is so large is followed rather than a shop closed.
    // 32 MB take 12 ms, and took 300 in a loop of our own.
    words.add(crc32(body.subarray(MAX_HEAD, body.length - MAX_TAIL)))
  }
  return words.count < MIN_WORDS ? undefined : (words.sum ^ Math.imul(words.count, FNV_PRIME)) >>> 1
}

const NOTHING: OwnWords = { dateNumbers: new Set(), own: new Set(), isMissing: false }

let hashesOfDates: ReadonlySet<number> | undefined

function dateHashes(): ReadonlySet<number> {
  hashesOfDates ??= new Set([...dateWords()].flatMap((word) => [...wordsOf(word)]))
  return hashesOfDates
}

/** Hashes of the words of a text, such as a URL. */
export function wordsOf(text: string): ReadonlySet<number> {
  const bytes = new TextEncoder().encode(text)
  const hashes = new Set<number>()
  let hash = FNV_OFFSET
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if ((KINDS[byte] ?? GAP) > TAG) hash = Math.imul(hash ^ byte, FNV_PRIME)
    else {
      hashes.add(hash)
      hash = FNV_OFFSET
    }
  }
  return hashes
}

/** Sums words up as they come. */
class Words {
  count = 0
  sum = 0
  readonly #body: Uint8Array
  readonly #own: OwnWords
  /** A word without digits counts, unless it is hidden and long. */
  readonly #areWordsPlain: boolean
  /** Within a tag that shows nothing. */
  #isHidden = false

  constructor(body: Uint8Array, own: OwnWords) {
    this.#body = body
    this.#own = own
    this.#areWordsPlain = !own.isMissing && own.dateNumbers.size === 0
  }

  read(from: number, to: number): void {
    const body = this.#body
    let at = from
    while (at < to) {
      const kind = KINDS[body[at] ?? 0]
      if (kind === TAG) at = this.#tag(at, to)
      else if (kind === GAP) {
        if (body[at] === GREATER) this.#isHidden = false
        at++
      } else at = this.#word(at, to)
    }
  }

  add(hash: number): void {
    // Scrambled, for sums of similar numbers are alike.
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d)
    this.sum = (this.sum + (mixed ^ (mixed >>> 12))) | 0
    this.count++
  }

  #word(from: number, to: number): number {
    const body = this.#body
    let hash = FNV_OFFSET
    let digits = 0
    let others = 0
    let value = 0
    let at = from
    for (; at < to; at++) {
      const byte = body[at] ?? 0
      const kind = KINDS[byte] ?? GAP
      if (kind <= TAG) break
      hash = Math.imul(hash ^ byte, FNV_PRIME)
      if (kind === DIGIT) {
        if (digits++ < MAX_DATE_DIGITS) value = value * 10 + byte - ZERO
      } else if (kind === LETTER) others++
    }
    const length = at - from
    const isPlain = digits === 0 && this.#areWordsPlain && (length <= MAX_WORD || !this.#isHidden)
    if (isPlain || !this.#saysNothing({ hash, length, digits, others, value })) this.add(hash)
    return at
  }

  #saysNothing({ hash, length, digits, others, value }: Word): boolean {
    const { dateNumbers, own, isMissing } = this.#own
    if (isMissing && own.has(hash)) return true
    if (dateNumbers.size > 0 && digits === 0 && dateHashes().has(hash)) return true
    if (this.#isHidden && length > MAX_WORD) return true
    if (digits === 0) return false
    if (isMissing) return true
    if (digits === length) return digits <= MAX_DATE_DIGITS && dateNumbers.has(value)
    return isToken(length, digits, others) && (this.#isHidden || own.has(hash))
  }

  /** A tag that leads somewhere is passed; of others it matters whether they show something. */
  #tag(from: number, to: number): number {
    const at = this.#afterLink(from, to)
    if (at === from + 1) this.#isHidden = !startsWithOne(this.#body, at, SHOWING)
    return at
  }

  /** Behind a tag that leads somewhere, with the address that it shows, or a comment; otherwise behind the bracket. */
  #afterLink(from: number, to: number): number {
    const body = this.#body
    if (body[from + 1] === BANG && body[from + 2] === DASH) return this.#afterComment(from, to)
    const isAnchor = lowered(body[from + 1]) === A && KINDS[body[from + 2] ?? 0] === GAP
    if (!isAnchor && !startsWithOne(body, from + 1, LEADING)) return from + 1
    const end = this.#find(GREATER, from, to)
    return isAnchor ? this.#afterAddress(end, to) : end
  }

  /** A comment may hold anything, tags too. */
  #afterComment(from: number, to: number): number {
    const body = this.#body
    let end = this.#find(GREATER, from, to)
    while (end < to && !(body[end - 2] === DASH && body[end - 3] === DASH)) end = this.#find(GREATER, end, to)
    return end
  }

  #find(byte: number, from: number, to: number): number {
    const end = this.#body.indexOf(byte, from)
    return end === -1 || end >= to ? to : end + 1
  }

  /** Behind a text like `/list?page=2`, of which nothing follows but where the link leads. */
  #afterAddress(from: number, to: number): number {
    const body = this.#body
    let hasSlash = false
    const last = Math.min(to, from + MAX_ADDRESS)
    for (let at = from; at < last; at++) {
      const byte = body[at] ?? 0
      if (byte === LESS) return hasSlash ? at : from
      // White space; and `//`, as of a link to another host.
      if (byte <= SPACE || (byte === SLASH && body[at + 1] === SLASH)) return from
      hasSlash ||= byte === SLASH
    }
    return from
  }
}

const SPACE = 0x20
const BANG = 0x21
const DASH = 0x2d
const SLASH = 0x2f
const ZERO = 0x30
const LESS = 0x3c
const GREATER = 0x3e
const A = 0x61
/** Tags whose attributes say where something leads, and no more. */
const LEADING: readonly Uint8Array[] = ['link ', 'form ', 'base ', 'area ', 'meta http-equiv'].map((name) =>
  new TextEncoder().encode(name),
)
/** Tags whose attributes say what is shown. */
const SHOWING: readonly Uint8Array[] = ['img', 'source', 'video', 'audio', 'object', 'embed', 'iframe'].map((name) =>
  new TextEncoder().encode(name),
)

interface Word {
  readonly hash: number
  readonly length: number
  readonly digits: number
  readonly others: number
  readonly value: number
}

const GAP = 0
const TAG = 1
const DIGIT = 2
const HEX_LETTER = 3
const LETTER = 4
/** What each byte is: words are of letters, digits, and all that is not ASCII. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(String.fromCharCode(byte)))

function kindOf(character: string): number {
  if (character === '<') return TAG
  if (/\d/.test(character)) return DIGIT
  if (/[a-f]/i.test(character)) return HEX_LETTER
  return /[a-z\u0080-\u00ff]/i.test(character) ? LETTER : GAP
}

function lowered(byte: number | undefined): number {
  return (byte ?? 0) | 0x20
}

function startsWithOne(body: Uint8Array, from: number, names: readonly Uint8Array[]): boolean {
  for (const name of names) {
    let at = 0
    while (at < name.length && lowered(body[from + at]) === name[at]) at++
    if (at === name.length) return true
  }
  return false
}

/** Letters and digits, and long: hexadecimal ones, or longer yet. A number alone is none, however long: products have such. */
function isToken(length: number, digits: number, others: number): boolean {
  return digits < length && length >= (others === 0 ? MIN_HEX : MIN_MIXED)
}

/** The words, as they are written in texts. Made on first use: it takes some 10 ms. */
function dateWords(): ReadonlySet<string> {
  known ??= new Set(LOCALES.flatMap((locale) => wordsIn(locale)))
  return known
}

function wordsIn(locale: string): string[] {
  const words: string[] = []
  for (const style of ['long', 'short'] as const) {
    const months = new Intl.DateTimeFormat(locale, { month: style, timeZone: 'UTC' })
    const weekdays = new Intl.DateTimeFormat(locale, { weekday: style, timeZone: 'UTC' })
    for (let month = 0; month < 12; month++) words.push(months.format(Date.UTC(YEAR, month, 1)))
    for (let day = 1; day <= 7; day++) words.push(weekdays.format(Date.UTC(YEAR, 0, day)))
  }
  const bare = words.map((word) => word.replace(/\.$/, ''))
  return bare.flatMap((word) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toLowerCase(), word.toUpperCase()])
}
