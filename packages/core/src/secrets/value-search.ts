// Finds any of some hundred values in a large text, in one pass: by their first octets, and then whole.
//
// Time is linear in the text, whatever it holds: where so much was compared in vain that it is made to be slow, the search says so and ends.
import { looksLikeWords } from './looks-like-words.ts'

/** Octets of a value by which it is looked up. No value is shorter (known-values.ts). */
const PREFIX = 4
const BUCKET_BITS = 13
/** Octets that may be compared for each octet of a text. */
const MOST_COMPARED = 16

/** Where a value is, in octets. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
}

/** Values to look for. */
export class ValueSearch {
  readonly #maybe = new Uint8Array(2 ** BUCKET_BITS)
  readonly #byPrefix = new Map<number, Buffer[]>()
  readonly #isWhole = new Map<Buffer, RegExp>()

  constructor(values: Iterable<string>) {
    for (const value of new Set(values)) {
      const bytes = Buffer.from(value, 'latin1')
      const prefix = bytes.readUInt32BE(0)
      this.#maybe[bucketOf(prefix)] = 1
      this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), bytes])
      if (/^\d+$/.test(value)) this.#isWhole.set(bytes, /\d/)
      else if (looksLikeWords(value)) this.#isWhole.set(bytes, /[a-z\u0080-\u00ff]/i)
    }
    // Of two that begin alike the longer one is there.
    for (const some of this.#byPrefix.values()) some.sort((a, b) => b.length - a.length)
  }

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return this.#byPrefix.size === 0
  }

  /** Where they are in `text`, in order; undefined where that takes too long. */
  in(text: Buffer): readonly SecretSpan[] | undefined {
    const spans: SecretSpan[] = []
    if (text.length < PREFIX) return spans
    let left = text.length * MOST_COMPARED + 2 ** 16
    let prefix = text.readUInt32BE(0)
    for (let start = 0; ; start++) {
      const some = this.#maybe[bucketOf(prefix)] === 1 ? this.#byPrefix.get(prefix) : undefined
      for (const value of some ?? []) {
        left -= value.length
        if (left < 0) return undefined
        const end = start + value.length
        if (end > text.length || text.compare(value, 0, value.length, start, end) !== 0 || this.#isPart(text, value, start))
          continue
        spans.push({ start, end })
        break
      }
      const next = text[start + PREFIX]
      if (next === undefined) return spans
      prefix = ((prefix << 8) | next) >>> 0
    }
  }

  /** A number in a longer number, or a word in a longer word, is another one. */
  #isPart(text: Buffer, value: Buffer, start: number): boolean {
    const like = this.#isWhole.get(value)
    if (like === undefined) return false
    return like.test(signAt(text, start - 1)) || like.test(signAt(text, start + value.length))
  }
}

function signAt(text: Buffer, at: number): string {
  const code = text[at]
  return code === undefined ? '' : String.fromCharCode(code)
}

function bucketOf(prefix: number): number {
  return Math.imul(prefix, 0x9e3779b1) >>> (32 - BUCKET_BITS)
}
