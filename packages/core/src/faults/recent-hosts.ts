// The last word of each host within a span of time: a sliding window over hosts.
//
// A word is noted with every answer and looked at with few failures, so noting writes two fields and counting goes over all hosts. Hosts that
// said nothing within the span are forgotten whenever twice as many are kept as were left the last time.

/** Hosts kept before the first look at who can be forgotten. */
const FEW = 64

/** What hosts said in the last `spanMs`. */
export class RecentHosts<Word> {
  readonly #spanMs: number
  readonly #last = new Map<string, { at: number; word: Word }>()
  #most = FEW

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  /** The words of the hosts within the span that ends `now`. */
  words(now: number): readonly Word[] {
    const words: Word[] = []
    for (const { at, word } of this.#last.values()) if (this.#isRecent(at, now)) words.push(word)
    return words
  }

  /** A host's word replaces the one before. */
  note(hostKey: string, word: Word, now: number): void {
    const known = this.#last.get(hostKey)
    if (known === undefined) this.#add(hostKey, word, now)
    else {
      known.at = now
      known.word = word
    }
  }

  #add(hostKey: string, word: Word, at: number): void {
    this.#last.set(hostKey, { at, word })
    if (this.#last.size <= this.#most) return
    for (const [key, known] of this.#last) if (!this.#isRecent(known.at, at)) this.#last.delete(key)
    this.#most = Math.max(FEW, 2 * this.#last.size)
  }

  #isRecent(at: number, now: number): boolean {
    return at > now - this.#spanMs
  }
}
