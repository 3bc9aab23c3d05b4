// The law by which a pattern is closed and opened: a score that rises with pages that say what others said, and falls with those that say something new.
//
// No single page closes anything, and what brings something new on every second page is never closed. Only pages count that link to new URLs, all of
// their own pattern: what leads elsewhere may be the list of what is there, and what does not grow needs no end.
//
// What is closed is tried again: of the requests that are refused the 64th is sent, the 128th, the 256th, …, and one of those of each new day.
// When three such pages in a row say something new the pattern is open, and it takes twice as much to close it again.
import type { ClosedPattern } from '../closed-pattern.ts'

/** What is known of the pages of one pattern. */
export interface PatternRecord {
  /** Pages that were looked at. */
  pages: number
  /** Those that say what others said already, less those with something new. Below zero: it was closed wrongly before. */
  same: number
  /** Of a wide pattern: narrow ones that had such pages, the first few. */
  readonly kinds: string[]
}

/** A host of fewer pages is not judged. */
export const YOUNG_PAGES = 24
/** By width of the pattern: the narrow one closes before it costs the wide ones anything. */
const MAX_SAME = [40, 60, 100]
/** The same: a wide pattern is found where narrow ones have no end, and not by one of them that is beside others. */
const MIN_KINDS = [0, 4, 8]
const MAX_KINDS = 8
const FIRST_TRIAL = 64
/** Behind one that said something new. More than it takes to open the pattern. */
export const TRIALS = 8
const DAY_MS = 86_400_000
/** Pages in a row that say something new. */
const FRESH = 3

/** Adds what a page of the pattern says; `width`: 0 for the narrow pattern, `kind`: the narrow one of the page. True when the pattern is to be closed. */
export function weigh(
  record: PatternRecord,
  { isSame, width, kind }: { readonly isSame: boolean; readonly width: number; readonly kind: string },
): boolean {
  record.pages++
  if (isSame && width > 0 && record.kinds.length < MAX_KINDS && !record.kinds.includes(kind)) record.kinds.push(kind)
  if (isSame) record.same++
  else if (record.same > 0) record.same--
  return record.same >= (MAX_SAME[width] ?? Infinity) && record.kinds.length >= (MIN_KINDS[width] ?? 0)
}

/** The record of a pattern that was closed wrongly: it has that much to its credit. */
export function acquitted(width: number): PatternRecord {
  return { pages: 0, same: -(MAX_SAME[width] ?? 0), kinds: [] }
}

/** A pattern that is closed from `since` on. */
export function closedSince(
  since: number,
  found: Pick<ClosedPattern, 'pattern' | 'reason' | 'pages' | 'refused'>,
): ClosedPattern {
  return { ...found, since, tryFrom: found.refused + FIRST_TRIAL, tryAt: since + DAY_MS, fresh: 0, trials: 0 }
}

/** Counts one more that is refused, and says whether it is sent after all. */
export function takeTrial(closed: ClosedPattern, now: number): boolean {
  closed.refused++
  if (closed.trials > 0) {
    closed.trials--
    return true
  }
  if (closed.refused < closed.tryFrom && now < closed.tryAt) return false
  closed.tryFrom = Math.max(2 * closed.refused, FIRST_TRIAL)
  closed.tryAt = now + DAY_MS
  return true
}

/** What a page of a closed pattern says; true when the pattern is to be opened. */
export function weighTrial(closed: ClosedPattern, isSame: boolean): boolean {
  closed.fresh = isSame ? 0 : closed.fresh + 1
  // A few of those that were refused, and no more until they have been heard: a few hundred may be waiting.
  if (!isSame) closed.trials = TRIALS
  return closed.fresh >= FRESH
}

const MOST_LISTED = 100

/** Patterns of all hosts, for reports: those of host names joined, for many hosts link to them; the most refused first, at most 100. */
export function mostRefused(all: readonly ClosedPattern[]): readonly ClosedPattern[] {
  const joined = new Map<string, ClosedPattern>()
  for (const closed of all) {
    const known = joined.get(closed.pattern)
    if (known === undefined) joined.set(closed.pattern, { ...closed })
    else
      joined.set(closed.pattern, {
        ...known,
        pages: known.pages + closed.pages,
        refused: known.refused + closed.refused,
        since: Math.min(known.since, closed.since),
      })
  }
  return [...joined.values()].sort((a, b) => b.refused - a.refused || (a.pattern < b.pattern ? -1 : 1)).slice(0, MOST_LISTED)
}
