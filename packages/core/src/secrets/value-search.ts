// Finds any of some hundred values in a large text, in one pass that skips what can be none of them.
//
// Wu and Manber, "A fast algorithm for multi-pattern searching" (1994), with blocks of two octets: the block at the end of a window as long as the shortest
// value says how far the window may move. Where it may not, the first octets of the window say which values may be there. Time is linear in the text, whatever
// it holds: where so much was compared in vain that it is made to be slow, the search says so and ends.
import { looksLikeWords } from './secret-value.ts'

/** Octets of a value by which it is looked up. No value is shorter (known-values.ts). */
const PREFIX = 4
/** Of a digest of a prefix. */
const DIGEST_BITS = 12
/** Seven bits of each of two octets. */
const BLOCKS = 2 ** 14
/** A step is an octet. */
const MAX_WINDOW = 255
/** Beside a number: it is part of a longer one. */
const IN_NUMBER: Beside = { before: /(?:\d|\d[.,])$/, behind: /^(?:\d|[.,]\d)/ }
/** Beside words: they are part of a longer one, such as the name of a class. */
const IN_WORD: Beside = { before: /[\w\u0080-\u00ff-]$/, behind: /^[\w\u0080-\u00ff-]/ }
/** Octets that may be compared for each octet of a text. */
const MOST_COMPARED = 16

/** Where a value is, in octets. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
}

/** Two signs on each side. */
interface Beside {
  readonly before: RegExp
  readonly behind: RegExp
}

/** Values to look for. */
export class ValueSearch {
  readonly #window: number
  /** How far the window may move, by the block at its end. */
  readonly #steps: Uint8Array
  /** 1 for the digest of each prefix. */
  readonly #maybe = new Uint8Array(2 ** DIGEST_BITS)
  readonly #byPrefix = new Map<number, Buffer[]>()
  readonly #isWhole = new Map<Buffer, Beside>()

  constructor(values: Iterable<string>) {
    const all = [...new Set(values)].map((value) => Buffer.from(value, 'latin1'))
    this.#window = all.reduce((least, { length }) => Math.min(least, length), MAX_WINDOW)
    this.#steps = new Uint8Array(BLOCKS).fill(this.#window - 1)
    for (const bytes of all) {
      const prefix = bytes.readUInt32BE(0)
      this.#maybe[digestOf(prefix)] = 1
      this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), bytes])
      for (let end = 1; end < this.#window; end++) {
        const block = blockAt(bytes, end)
        this.#steps[block] = Math.min(this.#steps[block] ?? 0, this.#window - 1 - end)
      }
      const value = bytes.toString('latin1')
      if (/^\d+$/.test(value)) this.#isWhole.set(bytes, IN_NUMBER)
      else if (looksLikeWords(value)) this.#isWhole.set(bytes, IN_WORD)
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
    if (this.isEmpty) return spans
    let left = text.length * MOST_COMPARED + 2 ** 16
    for (let start = this.#next(text, 0); start !== -1; start = this.#next(text, start + 1)) {
      for (const value of this.#byPrefix.get(text.readUInt32BE(start)) ?? []) {
        const same = lengthOfSame(text, start, value)
        left -= same + 1
        if (left < 0) return undefined
        if (same < value.length || this.#isPart(text, value, start)) continue
        spans.push({ start, end: start + value.length })
        break
      }
    }
    return spans
  }

  /** Where a value may begin, at `from` or behind it; -1 where none does. */
  #next(text: Buffer, from: number): number {
    const [steps, maybe] = [this.#steps, this.#maybe]
    const before = this.#window - 1
    for (let end = from + before; end < text.length;) {
      const step = steps[blockAt(text, end)] ?? 1
      end += step
      if (step !== 0) continue
      const start = end - before
      if (maybe[digestOf(prefixAt(text, start))] === 1) return start
      end++
    }
    return -1
  }

  /** A number in a longer number, or a word in a longer word, is another one. */
  #isPart(text: Buffer, value: Buffer, start: number): boolean {
    const beside = this.#isWhole.get(value)
    if (beside === undefined) return false
    const end = start + value.length
    return beside.before.test(textOf(text, start - 2, start)) || beside.behind.test(textOf(text, end, end + 2))
  }
}

/** The block that ends with the octet at `end`. */
function blockAt(text: Buffer, end: number): number {
  return (((text[end - 1] ?? 0) & 127) << 7) | ((text[end] ?? 0) & 127)
}

function prefixAt(text: Buffer, at: number): number {
  let prefix = 0
  for (let next = at; next < at + PREFIX; next++) prefix = (prefix << 8) | (text[next] ?? 0)
  return prefix
}

function digestOf(prefix: number): number {
  return Math.imul(prefix, 0x9e3779b1) >>> (32 - DIGEST_BITS)
}

/** Octets that `value` has in common with what begins at `start`. */
function lengthOfSame(text: Buffer, start: number, value: Buffer): number {
  let length = 0
  while (length < value.length && text[start + length] === value[length]) length++
  return length
}

function textOf(text: Buffer, start: number, end: number): string {
  return text.toString('latin1', Math.max(0, start), end)
}
