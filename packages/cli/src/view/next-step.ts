// What to do after a crawl, where there is something to do: look at what was done, and go on.
import type { CrawlReport, FatalCode, WaitingLinks } from '@avocet/core'
import { printable } from '../text/printable.ts'

/** What the line calls the store. */
export interface StoreName {
  /** Absent when it ends with the process. */
  readonly title?: string
  /** Absent when only the configuration knows: then `--fresh` cannot forget it. */
  readonly path?: string
}

/** Errors of a store that the same command would only meet again; their message says what helps. */
const NO_WAY_ON: ReadonlySet<string> = new Set<FatalCode>(['AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_MISSING'])

/** Two lines at most. */
export function nextStep(report: CrawlReport, store: StoreName): string[] {
  if (store.title === undefined) return []
  const named = store.path === undefined ? 'STORE' : printable(store.title)
  const more = `more: avocet report ${named} (rates, refusals, what each host felt; --html FILE for charts)`
  if (report.error && NO_WAY_ON.has(report.error.code)) return []
  return [...(report.run.requests > 0 ? [more] : []), ...goingOn(report, { ...store, title: store.title })]
}

function goingOn(
  { ended, resumed, run, counts, waitingLinks }: CrawlReport,
  { title, path }: StoreName & { readonly title: string },
): string[] {
  if (ended === 'given-up')
    return [`to ask the hosts that were given up again, run the same command (store: ${printable(title)})`]
  if (counts.waiting > counts.retired) return [`to go on, run the same command again (store: ${printable(title)})`]
  const [first] = waitingLinks
  if (ended === 'done' && first !== undefined) {
    const accepted = acceptedBy(first)
    return [
      `to follow links that wait for a budget: avocet scope accept '${printable(accepted)}', then run the same command again`,
    ]
  }
  if (ended !== 'done' || !resumed || run.requests > 0) return []
  const afresh = path === undefined ? `an empty store (${title})` : '--fresh'
  return [`nothing to do: every known URL is settled; ${afresh} starts over, a new seed is gone on with`]
}

/** The pattern that takes the budget away that links of a page wait for; of several budgets, that of its own host. */
function acceptedBy({ url, budget }: WaitingLinks): string {
  const site = budget.startsWith('new-hosts ') ? budget.slice('new-hosts '.length) : undefined
  return site === undefined ? `${new URL(url).host}/**` : `*.${site}`
}
