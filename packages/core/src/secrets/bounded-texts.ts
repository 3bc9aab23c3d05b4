// A map of texts that forgets the oldest when it holds too many characters: what pages supply may be anything, and as much as they like.

/** Texts by key. */
export class BoundedTexts {
  readonly #texts = new Map<string, string>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  get(key: string): string | undefined {
    return this.#texts.get(key)
  }

  has(key: string): boolean {
    return this.#texts.has(key)
  }

  set(key: string, text: string): void {
    this.delete(key)
    this.#texts.set(key, text)
    this.#characters += key.length + text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= this.#maxCharacters) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const text = this.#texts.get(key)
    if (text === undefined) return
    this.#texts.delete(key)
    this.#characters -= key.length + text.length
  }

  values(): Iterable<string> {
    return this.#texts.values()
  }
}
