// What a crawl did in a stretch of time, as numbers that can be added up, and as a text of some 30 characters.
//
// The text is digits of base 64: a number takes five bits a digit, the sixth says that another one follows. What is mostly zero is there only where a bit
// of the first digit says so. Latencies are counts in the buckets of `latency.ts`, one digit each: exact up to 5, beyond that within 17 %, which moves a
// quantile by less than the width of a bucket. All other counts are exact, bytes are rounded to KiB and busy time to the second. Rejected: JSON, which
// is five times as long.
import type { Latency } from './latency.ts'

const FAILURE_GROUPS = ['dns', 'connect', 'timeout', 'other'] as const

/** Groups of failures: names that are not found, no connection, no answer in time, and all else. */
export type FailureGroup = (typeof FAILURE_GROUPS)[number]

/** Counts of a stretch of time. Changed in place: it happens with every exchange. */
export interface RateBin {
  /** It begins at `place × width`, epoch ms. */
  place: number
  /** Exchanges that ended, refusals and failures among them. */
  requests: number
  pages: number
  items: number
  wireBytes: number
  /** How long slots were taken, all together. Ms. */
  busyMs: number
  refusals: number
  retries: number
  readonly failures: Record<FailureGroup, number>
  /** By bucket. */
  readonly latency: number[]
}

const BUCKETS = 31
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUES: ReadonlyMap<string, number> = new Map(Array.from(DIGITS, (digit, value) => [digit, value]))
const KIB = 1_024
const SECOND_MS = 1_000
/** Counts that one digit stands for: each 1.3 times the one before. */
const LEVELS = levels()

/** One with nothing in it. */
export function emptyBin(place: number): RateBin {
  return {
    place,
    ...{ requests: 0, pages: 0, items: 0, wireBytes: 0, busyMs: 0, refusals: 0, retries: 0 },
    failures: { dns: 0, connect: 0, timeout: 0, other: 0 },
    latency: Array.from({ length: BUCKETS }, () => 0),
  }
}

/** Adds all of `other` to `bin`. */
export function addBin(bin: RateBin, other: RateBin): void {
  bin.requests += other.requests
  bin.pages += other.pages
  bin.items += other.items
  bin.wireBytes += other.wireBytes
  bin.busyMs += other.busyMs
  bin.refusals += other.refusals
  bin.retries += other.retries
  for (const group of FAILURE_GROUPS) bin.failures[group] += other.failures[group]
  other.latency.forEach((count, bucket) => (bin.latency[bucket] = (bin.latency[bucket] ?? 0) + count))
}

/** Its latencies as those of a host are kept. */
export function latencyOfBin({ latency }: RateBin): Latency {
  const first = latency.findIndex((count) => count > 0)
  return first < 0 ? [] : [first, ...latency.slice(first, latency.findLastIndex((count) => count > 0) + 1)]
}

/** All but its place. */
export function binText(bin: RateBin): string {
  const rare = rareOf(bin)
  const flags = rare.reduce((bits, count, place) => bits | (count > 0 ? 1 << place : 0), 0)
  const [first, ...counts] = latencyOfBin(bin)
  return [
    DIGITS[flags],
    digitsOf(bin.requests),
    ...[bin.requests - bin.pages, bin.items - bin.pages].map((difference) => digitsOf(folded(difference))),
    ...[bin.wireBytes / KIB, bin.busyMs / SECOND_MS].map(digitsOf),
    ...rare.filter((count) => count > 0).map(digitsOf),
    ...(first === undefined ? [] : [digitsOf(first), ...counts.map((count) => DIGITS[levelOf(count)])]),
  ].join('')
}

/** Reads such a text. What is cut off or garbled is read as far as it goes. */
export function binOf(place: number, text: string): RateBin {
  const digits = new DigitReader(text)
  const bin = emptyBin(place)
  const flags = digits.one()
  bin.requests = digits.number()
  bin.pages = Math.max(0, bin.requests - unfolded(digits.number()))
  bin.items = Math.max(0, bin.pages + unfolded(digits.number()))
  bin.wireBytes = digits.number() * KIB
  bin.busyMs = digits.number() * SECOND_MS
  const [refusals = 0, retries = 0, dns = 0, connect = 0, timeout = 0, other = 0] = Array.from({ length: 6 }, (_, n) =>
    (flags & (1 << n)) === 0 ? 0 : digits.number(),
  )
  Object.assign(bin, { refusals, retries })
  Object.assign(bin.failures, { dns, connect, timeout, other })
  if (digits.isDone) return bin
  for (let bucket = digits.number(); !digits.isDone && bucket < BUCKETS; bucket++) bin.latency[bucket] = LEVELS[digits.one()] ?? 0
  return bin
}

/** A whole number of at least 0; anything else becomes one. */
export function digitsOf(amount: number): string {
  let left = Number.isFinite(amount) ? Math.max(0, Math.round(amount)) : 0
  let text = ''
  do {
    const bits = left % 32
    left = Math.floor(left / 32)
    text += DIGITS[left > 0 ? bits + 32 : bits]
  } while (left > 0)
  return text
}

/** Any whole number as one of at least 0: most requests are for a page, and many pages have one item, so that differences are short. */
export function folded(difference: number): number {
  return difference < 0 ? -2 * difference - 1 : 2 * difference
}

/** Back again. */
export function unfolded(amount: number): number {
  return amount % 2 === 1 ? -(amount + 1) / 2 : amount / 2
}

/** Reads digits one after another. */
export class DigitReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length
  }

  /** What has not been read. */
  get rest(): string {
    return this.#text.slice(this.#at)
  }

  one(): number {
    return VALUES.get(this.#text[this.#at++] ?? '') ?? 0
  }

  number(): number {
    let amount = 0
    for (let unit = 1; unit < Number.MAX_SAFE_INTEGER; unit *= 32) {
      const digit = this.one()
      amount += (digit % 32) * unit
      if (digit < 32) break
    }
    return Math.min(amount, Number.MAX_SAFE_INTEGER)
  }
}

function rareOf({ refusals, retries, failures }: RateBin): readonly number[] {
  return [refusals, retries, ...FAILURE_GROUPS.map((group) => failures[group])]
}

function levelOf(count: number): number {
  const above = LEVELS.findIndex((level) => level >= count)
  if (above < 0) return LEVELS.length - 1
  const [low = 0, high = 0] = [LEVELS[above - 1], LEVELS[above]]
  return above > 0 && count - low < high - count ? Math.max(1, above - 1) : above
}

function levels(): readonly number[] {
  const all = [0]
  while (all.length < DIGITS.length) all.push(Math.max((all.at(-1) ?? 0) + 1, Math.round((all.at(-1) ?? 0) * 1.3)))
  return all
}
