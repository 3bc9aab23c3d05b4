// What the pages of one host have said, by pattern of URL, and which patterns are closed. Plain JSON, bounded; a part of the host's memory at rest.
//
// Of a host of which nothing was ever seen twice only a few numbers are kept. The ones that change with every page are in core's own memory, which is
// written with each turn anyway. This part is written when a pattern is closed, and otherwise when a few pages were compared or the host is given back:
// after a crash it may be 16 compared pages behind.
import type { Given } from '../ports/discovery-limits.ts'
import type { Json } from '../values/json.ts'
import type { ClosedPattern } from '../ports/closed-pattern.ts'
import type { MemoryParts } from '../ports/frontier-reader.ts'
import { urlPatterns } from './url-patterns.ts'

/** Name of the part; plugin names cannot contain a colon. */
export const GAINS_PART = 'core:gains'
const VERSION = 1
const MAX_RECORDS = 96
const MAX_CLOSED = 64
/** Keys of contents and items: a site that hands out sessions has a few hundred pages behind them. */
const MAX_SEEN = 512
const SEEN_AT_REST = 256
const MARKS = 16

/** What is known of the pages of one pattern. */
export interface PatternRecord {
  /** Pages that were looked at. */
  pages: number
  /** Those that say what others said already, less those with something new. */
  same: number
  /** Of a wide pattern: narrow ones that had such pages, the first few. */
  readonly kinds: string[]
}

/** A host as far as its gains are concerned. */
export interface GivingHost {
  readonly key: string
  readonly gains: HostGains
  readonly core: { gave?: Given }
}

/** Counts URLs that were new: from a page they count against what its host may add, from a document against what documents of the host may list. */
export function countAdded({ core }: GivingHost, { isListing = false }: { readonly isListing?: boolean }, added: number): void {
  if (isListing) {
    core.gave ??= { pages: 0, items: 0, added: 0 }
    core.gave.listed = (core.gave.listed ?? 0) + added
  } else if (core.gave) core.gave.added += added
}

/** The gains of one host. */
export class HostGains {
  readonly records: Map<string, PatternRecord> = new Map()
  readonly closed: Map<string, ClosedPattern> = new Map()
  /** URLs that were handed to the store and are not committed. */
  pending = 0
  /** Pages of this run that linked to something new. */
  growing = 0
  readonly #seen = new Set<number>()
  #marks = 0
  #isUrgent = false

  constructor(text: string | undefined) {
    const saved = savedOf(text)
    if (saved === undefined) return
    for (const [name, [pages, same, ...kinds]] of Object.entries(saved.records)) this.records.set(name, { pages, same, kinds })
    for (const closed of saved.closed) this.closed.set(closed.pattern, closed)
    for (const key of saved.seen) this.#seen.add(key)
  }

  /** Whether more pages of a pattern said what others said than something new. */
  isSuspected(pattern: string): boolean {
    return (this.records.get(pattern)?.same ?? 0) > 0
  }

  /** The record of a pattern; the least used one makes room for it. */
  record(pattern: string): PatternRecord {
    const known = this.records.get(pattern)
    if (known !== undefined) return known
    if (this.records.size >= MAX_RECORDS) this.#forgetLeast()
    const made = { pages: 0, same: 0, kinds: [] }
    this.records.set(pattern, made)
    return made
  }

  /** Remembers a key among the last few hundred; says whether it was one of them. */
  remember(key: number): boolean {
    const isKnown = this.#seen.delete(key)
    this.#seen.add(key)
    if (isKnown) return true
    const [oldest] = this.#seen
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest)
    this.#marks++
    return false
  }

  /** Closes a pattern; false when too many are. */
  close(closed: ClosedPattern): boolean {
    if (this.closed.size >= MAX_CLOSED && !this.closed.has(closed.pattern)) return false
    this.closed.set(closed.pattern, closed)
    this.#isUrgent = true
    return true
  }

  /** Opens a pattern: the user accepted it, or an earlier run closed it. That one's evidence counts half. */
  open(pattern: string): void {
    if (!this.closed.delete(pattern)) return
    const record = this.records.get(pattern)
    if (record) record.same = Math.floor(record.same / 2)
    this.#isUrgent = true
  }

  /** Something changed that is worth writing soon. */
  mark(): void {
    this.#marks++
  }

  /** What `changedText` gave was not written after all. */
  notWritten(): void {
    this.#isUrgent = true
  }

  /** The memory as JSON text, when it is time to write it; `now`: also what could wait. */
  changedText(now: boolean): string | undefined {
    if (!this.#isUrgent && this.#marks < (now ? 1 : MARKS)) return undefined
    this.#marks = 0
    this.#isUrgent = false
    const records = [...this.records].map(([name, { pages, same, kinds }]) => [name, [pages, same, ...kinds]])
    const seen = [...this.#seen].slice(-SEEN_AT_REST)
    return JSON.stringify([VERSION, { records: Object.fromEntries(records) as Json, closed: [...this.closed.values()], seen }])
  }

  #forgetLeast(): void {
    let least: { name: string; weight: number } | undefined
    for (const [name, { pages, same }] of this.records) {
      const weight = pages + 100 * same
      if (least === undefined || weight < least.weight) least = { name, weight }
    }
    if (least !== undefined) this.records.delete(least.name)
  }
}

interface Saved {
  readonly records: Readonly<Record<string, readonly [pages: number, same: number, ...kinds: string[]]>>
  readonly closed: readonly ClosedPattern[]
  readonly seen: readonly number[]
}

function savedOf(text: string | undefined): Saved | undefined {
  if (text === undefined || text === '') return undefined
  try {
    const [version, saved] = JSON.parse(text) as [number, Saved]
    return version === VERSION ? saved : undefined
  } catch {
    return undefined
  }
}

/** The closed patterns of a host at rest, but for those that were `accepted`; with `url`, only those that it is of. */
export function closedAtRest(
  { hostKey, memory }: { readonly hostKey: string; readonly memory: MemoryParts },
  { accepted, url }: { readonly accepted: ReadonlySet<string>; readonly url?: string | undefined },
): readonly ClosedPattern[] {
  const own = url === undefined ? undefined : new Set(urlPatterns(url))
  return (savedOf(memory[GAINS_PART])?.closed ?? [])
    .filter(({ pattern }) => own?.has(pattern) ?? true)
    .map((closed) => ({ ...closed, pattern: fullPattern(hostKey, closed.pattern) }))
    .filter(({ pattern }) => !accepted.has(pattern))
}

/** `/cal?d=*` of `shop.example` is `shop.example/cal?d=*`; a pattern of host names stands for itself. */
export function fullPattern(hostKey: string, pattern: string): string {
  return pattern.startsWith('/') ? hostKey + pattern : pattern
}
