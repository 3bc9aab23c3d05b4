// The words by which budgets of links are kept in the table of reasons: `new-urls`, `new-hosts mall.example`, `any`.
import type { LinkBudget } from '../link-budget.ts'
import type { Cut } from '../request.ts'

const OF_SITE = 'new-hosts '
/** Of several budgets, and of one that a damaged store has lost. */
export const SEVERAL_WORD = 'any'

/** What `budget` is kept as. */
export function budgetWord(budget: LinkBudget): string {
  if (budget.kind === 'new-hosts') return OF_SITE + budget.site
  return budget.kind === 'new-urls' ? budget.kind : SEVERAL_WORD
}

/** The budget that was kept as `word`. One that nobody knows counts as several: its pages are read again as soon as anything may have room. */
export function budgetOfWord(word: string): LinkBudget {
  if (word === 'new-urls') return { kind: word }
  return word.startsWith(OF_SITE) ? { kind: 'new-hosts', site: word.slice(OF_SITE.length) } : { kind: 'several' }
}

/** Columns of a page of which links wait; null where none does. */
export interface CutRow {
  readonly cut_for?: string | null
  readonly cut_of?: number | null
  readonly cut_left?: number | null
}

/** What such columns say; undefined where no links wait. */
export function cutOf({ cut_for, cut_of, cut_left }: CutRow): Cut | undefined {
  return typeof cut_for === 'string' ? { budget: budgetOfWord(cut_for), of: cut_of ?? 0, left: cut_left ?? 0 } : undefined
}
