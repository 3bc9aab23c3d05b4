// What the pages of one host have said, by pattern of URL, and the law by which a pattern is closed. Plain JSON, bounded; a blob of the host's memory at rest.
//
// A pattern is closed for what grows out of itself: page after page says what others of the host said, links to new URLs of its own pattern alone, and was
// found on a page of it. What other pages list may be what is there, however often it says the same: a hundred products that are sold out. It takes so
// many in a row: a single page of the pattern that says something new clears it, be nine of ten products sold out.
//
// A law by which what yields no items is closed was rejected: a forum beside a shop, and all pages that a spider only reads, would be traps.
//
// It is written when a pattern is closed, when one page in sixteen was compared, when the host is given back, and else after sixteen marks: after a crash it
// may be 16 compared pages behind.
import type { CrawlReport, Plugin } from '@avocet/core'
import { originOf } from '@avocet/core/plugin'
import { contentKey, itemsKey } from './content-key.ts'
import { urlPatterns, WHOLE_HOST } from './url-patterns.ts'

const VERSION = 1
const MAX_RECORDS = 96
const MAX_CLOSED = 64
/** Keys of contents and items: a site that hands out sessions has a few hundred pages behind them. */
const MAX_SEEN = 512
const SEEN_AT_REST = 256
const MARKS = 16
/** Of the new links of a page, so many tell where it leads. */
const MAX_LOOKED_AT = 32
/** A page with so many new URLs of its pattern alone grows, wherever it was found. */
const MANY_URLS = 50
/** Pages in a row, by width of the pattern: a wide one takes several narrow ones beside, so the narrow one closes first. */
const MAX_SAME = [100, 100, 112]
/** The same: a wide pattern is found where narrow ones have no end, and not by one of them that is beside others. */
const MIN_KINDS = [0, 4, 8]
const MAX_KINDS = 8

/** A pattern that is closed, from the first slash on. */
type ClosedPattern = CrawlReport['closedPatterns'][number]

/** What `onHandled` gets of a page that did not fail. */
export type JudgedPage = Extract<Parameters<NonNullable<Plugin['onHandled']>>[0], { readonly items: unknown }>

/** What is known of the pages of one pattern: those that were looked at, those in a row that say what others said, and of a wide one the first narrow ones. */
type PatternRecord = [pages: number, same: number, ...kinds: string[]]

/** The gains of one host. */
export class HostGains {
  readonly closed: Map<string, ClosedPattern>
  /** Pages of this run that linked to something new. */
  growing = 0
  readonly #records: Map<string, PatternRecord>
  readonly #seen: Set<number>
  #marks = 0
  #isUrgent = false

  constructor(text: string | undefined) {
    const { records, closed, seen } = savedOf(text)
    this.#records = new Map(records)
    this.closed = new Map(closed.map((each) => [each.pattern, each]))
    this.#seen = new Set(seen)
  }

  /** Whether pages of one of these patterns, of any where none is given, said what others said. */
  isSuspected(...patterns: string[]): boolean {
    return patterns.length === 0 ? this.#records.size > 0 : patterns.some((name) => this.#records.has(name))
  }

  /** Counts what a page says of its patterns, narrow first. Returns those that are to be closed, with the number of pages that were looked at. */
  judge(page: JudgedPage, patterns: readonly string[]): readonly (readonly [pattern: string, pages: number])[] {
    const isSame = this.#saysTheSame(page)
    if (isSame === undefined) return []
    const counted = (isSame ? grownBy(page, patterns) : patterns).filter((name) => name !== WHOLE_HOST)
    if (isSame) return counted.flatMap((name) => this.#count(name, patterns))
    for (const name of counted) if (this.#records.delete(name)) this.#marks++
    return []
  }

  #count(name: string, patterns: readonly string[]): readonly (readonly [pattern: string, pages: number])[] {
    const [kind = name] = patterns
    const index = patterns.indexOf(name)
    // The narrow pattern is 0; of a folder, with all that is in it, 2.
    const width = index > 0 && index === patterns.length - 2 ? 2 : index
    const [pages, same, ...kinds] = this.#records.get(name) ?? [0, 0]
    if (width > 0 && kinds.length < MAX_KINDS && !kinds.includes(kind)) kinds.push(kind)
    this.#records.delete(name)
    this.#records.set(name, [pages + 1, same + 1, ...kinds])
    if (this.#records.size > MAX_RECORDS) this.#forgetLeast()
    this.#marks++
    const isEnough = same + 1 >= (MAX_SAME[width] ?? Infinity) && kinds.length >= (MIN_KINDS[width] ?? 0)
    return isEnough ? [[name, pages + 1]] : []
  }

  /** The pattern with the least evidence makes room: one that was looked at longest ago may be one of many that are visited in turn. */
  #forgetLeast(): void {
    const [least] = [...this.#records].toSorted(
      ([, [pages, same]], [, [others, sameOfOthers]]) => same - sameOfOthers || pages - others,
    )
    if (least !== undefined) this.#records.delete(least[0])
  }

  /** Whether a page brings only what was seen; undefined when it says nothing either way. */
  #saysTheSame({ request: { url }, response, items }: JudgedPage): boolean | undefined {
    const key = contentKey(response.body, url)
    const isKnown = key !== undefined && this.remember(key)
    // Both are remembered, independent of each other.
    const isKnownOfItems = items.length === 0 || this.remember(itemsKey(items, url))
    return key === undefined && items.length === 0 ? undefined : isKnown && isKnownOfItems
  }

  /** Remembers a key among the last few hundred; says whether it was one of them. */
  remember(key: number): boolean {
    const isKnown = this.#seen.delete(key)
    this.#seen.add(key)
    const [oldest = key] = this.#seen
    if (this.#seen.size > MAX_SEEN) this.#seen.delete(oldest)
    if (!isKnown) this.#marks++
    return isKnown
  }

  /** Closes a pattern; false when too many are. */
  close(closed: ClosedPattern): boolean {
    if (this.closed.size >= MAX_CLOSED && !this.closed.has(closed.pattern)) return false
    this.closed.set(closed.pattern, closed)
    return (this.#isUrgent = true)
  }

  /** Opens a pattern: the user accepted it, or an earlier run closed it. That one's evidence counts half. */
  open(pattern: string): void {
    if (!this.closed.delete(pattern)) return
    const record = this.#records.get(pattern)
    if (record) record[1] = Math.floor(record[1] / 2)
    this.#isUrgent = true
  }

  /** As JSON text, when it is time to write it; `isRare`: it is not asked often. */
  changedText(isRare = false): string | undefined {
    if (!this.#isUrgent && this.#marks < (isRare ? 1 : MARKS)) return undefined
    this.#marks = 0
    this.#isUrgent = false
    const seen = [...this.#seen].slice(-SEEN_AT_REST)
    const saved: Saved = { records: [...this.#records], closed: [...this.closed.values()], seen }
    return JSON.stringify([VERSION, saved])
  }
}

/** The patterns of a page that all of its new links are of, and the page that it was found on. */
function grownBy({ request: { url: at, hostKey, parent }, links }: JudgedPage, own: readonly string[]): readonly string[] {
  const isOfOwn = parent !== undefined && originOf(parent) === originOf(at)
  const before = links.length >= MANY_URLS ? own : isOfOwn ? urlPatterns(parent) : []
  let growing = links.length === 0 ? [] : own.filter((name) => before.includes(name))
  for (const { url, hostKey: to } of links.slice(0, MAX_LOOKED_AT)) {
    const names = to === hostKey ? urlPatterns(url) : []
    growing = growing.filter((name) => names.includes(name))
  }
  return growing
}

interface Saved {
  readonly records: readonly (readonly [name: string, record: PatternRecord])[]
  readonly closed: readonly ClosedPattern[]
  readonly seen: readonly number[]
}

/** What such a text has in it. */
export function savedOf(text = ''): Saved {
  const [version, saved] = text === '' ? [] : (JSON.parse(text) as [number, Saved])
  return version === VERSION && saved !== undefined ? saved : { records: [], closed: [], seen: [] }
}
