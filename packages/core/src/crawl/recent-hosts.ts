// The last word of each host within a span of time: a sliding window over hosts, oldest first, so that forgetting costs what was added.

/** What hosts said in the last `spanMs`. */
export class RecentHosts<Word> {
  readonly #spanMs: number
  readonly #words = new Map<string, { readonly at: number; readonly word: Word }>()

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  /** Hosts within the span that ended with the last `note`. */
  get size(): number {
    return this.#words.size
  }

  /** The words of these hosts. */
  get words(): readonly Word[] {
    return Array.from(this.#words.values(), ({ word }) => word)
  }

  /** A host's word replaces the one before. */
  note(hostKey: string, word: Word, now: number): void {
    this.#words.delete(hostKey)
    this.#words.set(hostKey, { at: now, word })
    for (const [key, { at }] of this.#words) {
      if (at > now - this.#spanMs) break
      this.#words.delete(key)
    }
  }

  clear(): void {
    this.#words.clear()
  }
}
