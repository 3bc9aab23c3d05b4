// A capped set of fingerprints that the store is known to have: a hit is known, a miss says nothing.
//
// An entry is a tag of 64 bits, both halves of the fingerprint joined by exclusive or, so that every bit counts; a hit is wrong once in 2^61
// questions. Eight tags make a set of 64 bytes: one cache line a question. It doubles while more than half of it is taken, up to its cap
// (2,097,152 places, 16 MiB); from then on a new tag takes the place of another of its set. At half load 0.4 % of entries find their set
// full (Poisson); with four ways and 70 % it was 8 %, each of them asked of the store again and again.
// Rejected: Set<string>, 125 MB for a million entries against 16; whole fingerprints, twice the memory for certainty that nobody can notice.

/** Tags in a set. */
const WAYS = 8
/** Words of 32 bits in a tag. */
const WORDS = 2
const SMALLEST = 1_024

/** The cache. Fingerprints come as four words. */
export class KnownCache {
  readonly #maxPlaces: number
  #words: Uint32Array = new Uint32Array(SMALLEST * WORDS)
  #size = 0
  #victim = 0

  /** `maxPlaces` is rounded down to a power of two. */
  constructor(maxPlaces: number) {
    this.#maxPlaces = Math.max(SMALLEST, 2 ** Math.floor(Math.log2(Math.max(1, maxPlaces))))
  }

  /** Bytes that it occupies. */
  get bytes(): number {
    return this.#words.byteLength
  }

  has(fingerprint: Uint32Array): boolean {
    return this.#find(highOf(fingerprint), lowOf(fingerprint)) >= 0
  }

  add(fingerprint: Uint32Array): void {
    const high = highOf(fingerprint)
    const low = lowOf(fingerprint)
    if ((high === 0 && low === 0) || this.#find(high, low) >= 0) return
    if (this.#size * 2 * WORDS > this.#words.length && this.#words.length < this.#maxPlaces * WORDS) this.#grow()
    this.#put(high, low)
  }

  /** Index of the tag's first word; -1 when it is not there. */
  #find(high: number, low: number): number {
    // All zeros marks a free place: that one tag in 2^64 is asked of the store each time.
    if (high === 0 && low === 0) return -1
    const words = this.#words
    const start = startOf(words, low)
    for (let at = start; at < start + WAYS * WORDS; at += WORDS) if (words[at] === high && words[at + 1] === low) return at
    return -1
  }

  #put(high: number, low: number): void {
    const words = this.#words
    const start = startOf(words, low)
    let at = start
    while (at < start + WAYS * WORDS && (words[at] !== 0 || words[at + 1] !== 0)) at += WORDS
    if (at < start + WAYS * WORDS) this.#size++
    else {
      this.#victim = (this.#victim + 1) % WAYS
      at = start + this.#victim * WORDS
    }
    words[at] = high
    words[at + 1] = low
  }

  #grow(): void {
    const old = this.#words
    this.#words = new Uint32Array(old.length * 2)
    this.#size = 0
    for (let at = 0; at < old.length; at += WORDS) {
      const high = old[at] ?? 0
      const low = old[at + 1] ?? 0
      if (high !== 0 || low !== 0) this.#put(high, low)
    }
  }
}

function highOf(fingerprint: Uint32Array): number {
  return ((fingerprint[0] ?? 0) ^ (fingerprint[2] ?? 0)) >>> 0
}

function lowOf(fingerprint: Uint32Array): number {
  return ((fingerprint[1] ?? 0) ^ (fingerprint[3] ?? 0)) >>> 0
}

/** Index of the first word of the set that a tag belongs to. */
function startOf(words: Uint32Array, low: number): number {
  return (low & (words.length / (WAYS * WORDS) - 1)) * (WAYS * WORDS)
}
