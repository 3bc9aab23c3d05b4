// Fingerprints of the newest rows, which the store's index does not have yet, in id order and by hash.
//
// Ids have no gaps, so entry i is row `base + 1 + i` and needs no id of its own: 16 bytes, and 4 in each of two hash slots.
// Open addressing with linear probing; at most half of the slots are taken.

/** Words of 32 bits in a fingerprint. */
const WORDS = 4

/** The tail. */
export class FingerprintTail {
  /** Highest id that is not in here because the index has it. */
  base: number
  #length = 0
  #words: Uint32Array = new Uint32Array(1_024 * WORDS)
  /** Entry + 1; 0 is free. */
  #slots: Uint32Array = new Uint32Array(2_048)

  constructor(base: number) {
    this.base = base
  }

  get length(): number {
    return this.#length
  }

  /** Id of the newest row. */
  get lastId(): number {
    return this.base + this.#length
  }

  has(fingerprint: Uint32Array): boolean {
    return this.idOf(fingerprint) !== undefined
  }

  /** Id of its row; undefined where it is not in here. */
  idOf(fingerprint: Uint32Array): number | undefined {
    const words = this.#words
    const mask = this.#slots.length - 1
    // By index: destructuring a typed array runs its iterator, which costs more than the search.
    const a = fingerprint[0]
    const b = fingerprint[1]
    const c = fingerprint[2]
    const d = fingerprint[3]
    for (let slot = (d ?? 0) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? 0
      if (entry === 0) return undefined
      const at = (entry - 1) * WORDS
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return this.base + entry
    }
  }

  /** Takes the fingerprint of the row after the newest. */
  append(fingerprint: Uint32Array): void {
    if ((this.#length + 1) * WORDS > this.#words.length) this.#grow()
    this.#words.set(fingerprint, this.#length * WORDS)
    this.#length++
    this.#link(this.#length)
  }

  /** Entries up to `lastId` whose first word is from `low` (inclusive) to `high` (exclusive), by index, in no order. */
  entriesWithin(low: number, high: number, lastId: number): number[] {
    const found: number[] = []
    const end = Math.min(this.#length, lastId - this.base)
    for (let entry = 0; entry < end; entry++) {
      const word = this.#words[entry * WORDS] ?? 0
      if (word >= low && word < high) found.push(entry)
    }
    return found
  }

  /** Words of an entry: a view, good until the next change. */
  wordsOf(entry: number): Uint32Array {
    return this.#words.subarray(entry * WORDS, (entry + 1) * WORDS)
  }

  /** Forgets rows up to `id`. */
  dropUpTo(id: number): void {
    const dropped = Math.min(this.#length, id - this.base)
    if (dropped <= 0) return
    this.#words.copyWithin(0, dropped * WORDS, this.#length * WORDS)
    this.#length -= dropped
    this.base = id
    this.#rehash(this.#slots.length)
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
    this.#rehash(this.#slots.length * 2)
  }

  #rehash(slots: number): void {
    this.#slots = slots === this.#slots.length ? this.#slots.fill(0) : new Uint32Array(slots)
    for (let entry = 1; entry <= this.#length; entry++) this.#link(entry)
  }

  #link(entry: number): void {
    const mask = this.#slots.length - 1
    let slot = (this.#words[entry * WORDS - 1] ?? 0) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = entry
  }
}
