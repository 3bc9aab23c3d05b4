// A capped set of fingerprints that the store is known to have: a hit is known, a miss says nothing.
//
// Sets of four entries of 16 bytes, 64 bytes in all: one cache line a question. It doubles while it is full and below its cap (1,048,576
// entries, 16 MiB), then a new entry takes the place of another of its set. Fingerprints are whole, so a hit is never wrong.
// Rejected: 64-bit hashes (half the memory, but a hit would only be likely), Set<string> (125 MB for a million entries against 16).

/** Words of 32 bits in a fingerprint. */
const WORDS = 4
const WAYS = 4
const SMALLEST = 1_024

/** The cache. Fingerprints come as four words. */
export class KnownCache {
  readonly #maxEntries: number
  #words: Uint32Array
  #entries: number
  #size = 0
  #victim = 0

  /** `maxEntries` is rounded down to a power of two. */
  constructor(maxEntries: number) {
    this.#maxEntries = Math.max(SMALLEST, 2 ** Math.floor(Math.log2(Math.max(1, maxEntries))))
    this.#entries = SMALLEST
    this.#words = new Uint32Array(SMALLEST * WORDS)
  }

  /** Bytes that it occupies. */
  get bytes(): number {
    return this.#words.byteLength
  }

  has(fingerprint: Uint32Array): boolean {
    const words = this.#words
    // By index: destructuring a typed array runs its iterator, which costs more than the search.
    const a = fingerprint[0]
    const b = fingerprint[1]
    const c = fingerprint[2]
    const d = fingerprint[3]
    const end = this.#setOf(fingerprint, 0) + WAYS * WORDS
    for (let at = end - WAYS * WORDS; at < end; at += WORDS) {
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return true
    }
    return false
  }

  add(fingerprint: Uint32Array): void {
    // All zeros marks a free place; that one fingerprint in 2^128 is asked of the store each time.
    const isZero = fingerprint[0] === 0 && fingerprint[1] === 0 && fingerprint[2] === 0 && fingerprint[3] === 0
    if (isZero || this.has(fingerprint)) return
    if (this.#size > this.#entries * 0.7 && this.#entries < this.#maxEntries) this.#grow()
    this.#put(fingerprint, 0)
  }

  #put(source: Uint32Array, from: number): void {
    const words = this.#words
    const start = this.#setOf(source, from)
    let at = start
    const isFree = (): boolean => words[at] === 0 && words[at + 1] === 0 && words[at + 2] === 0 && words[at + 3] === 0
    while (at < start + WAYS * WORDS && !isFree()) at += WORDS
    if (at < start + WAYS * WORDS) this.#size++
    else {
      this.#victim = (this.#victim + 1) % WAYS
      at = start + this.#victim * WORDS
    }
    for (let i = 0; i < WORDS; i++) words[at + i] = source[from + i] ?? 0
  }

  /** Index of the first word of the set; the last word picks it, for the store's index uses the first. */
  #setOf(source: Uint32Array, from: number): number {
    return ((source[from + WORDS - 1] ?? 0) & (this.#entries / WAYS - 1)) * (WAYS * WORDS)
  }

  #grow(): void {
    const old = this.#words
    this.#entries *= 2
    this.#words = new Uint32Array(this.#entries * WORDS)
    this.#size = 0
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at] !== 0 || old[at + 1] !== 0 || old[at + 2] !== 0 || old[at + 3] !== 0) this.#put(old, at)
    }
  }
}
