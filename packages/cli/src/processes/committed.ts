// What groups of units add to the counts of a run once they are committed.
import type { CrawlReport } from '@avocet/core'
import type { CommitUnit } from '@avocet/core/store'

/** Counts of committed units. */
export type Committed = Pick<CrawlReport['run'], 'pages' | 'items' | 'failed' | 'moved'>

/** Of these units. */
export function committedBy(units: readonly CommitUnit[]): Committed {
  const count = (kind: string): number => units.filter(({ outcome }) => outcome?.kind === kind).length
  const items = units.reduce((sum, unit) => sum + unit.items.length, 0)
  return { pages: count('done'), items, failed: count('failed'), moved: count('moved') }
}

/** Of two groups. */
export function sumCommitted(a: Committed, b: Committed): Committed {
  return { pages: a.pages + b.pages, items: a.items + b.items, failed: a.failed + b.failed, moved: a.moved + b.moved }
}
