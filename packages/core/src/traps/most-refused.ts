// The closed patterns of all hosts, for reports: those of host names joined, for many hosts link to them; the most refused first.
import type { ClosedPattern } from '../report.ts'

const MOST = 100

/** At most 100. */
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
  return [...joined.values()].sort((a, b) => b.refused - a.refused || (a.pattern < b.pattern ? -1 : 1)).slice(0, MOST)
}
