// Pairs of handler and URL that are surely in the store, because a commit said so: nine links in ten need to be looked up nowhere else, and the store takes
// 3.5 µs a link.
//
// Only tags of them are kept, in a capped set: a hit is known, a miss says nothing.
// A tag is 64 bits, a hash with a seed that no site knows, so a new text is taken for a known one once in some 2^60 questions. Eight tags make a set of 64
// bytes: one cache line a question. The table doubles while more than half of it is taken, up to 16 MiB, two million texts; from then on a new tag takes the
// place of another of its set. At half load 0.4 % of texts find their set full (Poisson); with four ways and 70 % it was 8 %.
// Rejected: Set<string>, 125 MB for a million URLs.
import type { Link } from '../ports/link.ts'
import type { Request } from '../ports/request.ts'

/** Tags in a set. */
const WAYS = 8
/** Words of 32 bits in a tag. */
const WORDS = 2
const SET_WORDS: number = WAYS * WORDS
const FEWEST_PLACES = 4_096
const MOST_PLACES: number = 2 ** 21

/** Those that this process committed. */
export class KnownPairs {
  readonly #seedNow: () => number
  /** As of the last question: what is committed meanwhile is of that term. */
  #seed: number
  readonly #maxPlaces: number
  #words: Int32Array = new Int32Array(FEWEST_PLACES * WORDS)
  #taken = 0
  #victim = 0
  #high = 0
  #low = 0

  /** `seed`: 32 bits; under another one nothing is known. `maxPlaces`: a power of two. */
  constructor(seed: () => number = () => 0, maxPlaces: number = MOST_PLACES) {
    this.#seedNow = seed
    this.#seed = seed()
    this.#maxPlaces = maxPlaces
  }

  /** Remembers pairs that are in the store now. */
  remember(pairs: readonly string[]): void {
    for (const pair of pairs) if (!this.#find(pair)) this.#add()
  }

  has(pair: string): boolean {
    this.#seed = this.#seedNow()
    return this.#find(pair)
  }

  #find(pair: string): boolean {
    this.#hash(pair)
    const start = startOf(this.#words, this.#low)
    for (let at = start; at < start + SET_WORDS; at += WORDS) {
      if (this.#words[at] === this.#high && this.#words[at + 1] === this.#low) return true
    }
    return false
  }

  /** Adds the tag that was not found. */
  #add(): void {
    if (2 * this.#taken * WORDS > this.#words.length && this.#words.length < this.#maxPlaces * WORDS) this.#grow()
    this.#put(this.#high, this.#low)
  }

  /** Leaves the tag of `text` in `#high` and `#low`. Two multiplicative hashes; the second turns, so that its low bits depend on all. */
  #hash(text: string): void {
    let high = this.#seed
    let low = ~high
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      high = Math.imul(high ^ unit, 0x9e_37_79_b1)
      low = Math.imul(((low << 7) | (low >>> 25)) ^ unit, 0x85_eb_ca_6b)
    }
    high ^= high >>> 16
    low ^= low >>> 15
    // Zero marks a free place.
    this.#high = Math.imul(high ^ low, 0xc2_b2_ae_35) || 1
    this.#low = Math.imul(low ^ (low >>> 13), 0x27_d4_eb_2f) ^ high
  }

  #put(high: number, low: number): void {
    const words = this.#words
    const start = startOf(words, low)
    let at = start
    while (at < start + SET_WORDS && words[at] !== 0) at += WORDS
    if (at < start + SET_WORDS) this.#taken++
    else {
      this.#victim = (this.#victim + 1) % WAYS
      at = start + this.#victim * WORDS
    }
    words[at] = high
    words[at + 1] = low
  }

  #grow(): void {
    const old = this.#words
    this.#words = new Int32Array(old.length * 2)
    this.#taken = 0
    for (let at = 0; at < old.length; at += WORDS) if (old[at] !== 0) this.#put(old[at] ?? 0, old[at + 1] ?? 0)
  }
}

/**
 * What a link of the page of `request` to `url` is remembered by; undefined where handler and URL do not say which request it is. The default handler is left
 * out: its pairs are the URL alone. Other pairs begin with a space or a control character, which no URL does.
 */
export function pairOf(link: Link, url: string, request: Request): string | undefined {
  const { handler = 'start', again = false, method, body, identity, modifiedAt, render } = link.options
  if (link.isRedirect || (method ?? body ?? identity ?? modifiedAt ?? render) !== undefined) return undefined
  const session = inSession(link, request)
  // No name of a session has a space.
  if (session !== undefined) return `\r${again ? 'again' : ''} ${session} ${handler} ${url}`
  // A page that was asked for needs no second question in this run, but one that is known may need the first.
  if (again) return `\n${handler} ${url}`
  return handler === 'start' ? url : ` ${handler} ${url}`
}

/** The session that a link of the page of `request` leads to; undefined for that of its host. */
function inSession({ options: { session } }: Link, request: Request): string | undefined {
  return session === undefined ? request.session : session || undefined
}

/** What a link wants, with the session of its page where it names none. */
export function inherited({ options }: Link, { session }: Request): Link['options'] {
  return session === undefined || options.session !== undefined ? options : { ...options, session }
}

/** Index of the first word of the set that a tag belongs to. */
function startOf(words: Int32Array, low: number): number {
  return (low & (words.length / SET_WORDS - 1)) * SET_WORDS
}
