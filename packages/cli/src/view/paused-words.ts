// Who has paused a crawl, and what holds of that in the next run. A key is for the run in front of it; an order is in the store (docs/how-to/steer-a-crawl.md).
import type { CrawlStatus } from '@avocet/core/tools'
import { commandLine } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'

/** Why a crawl is paused that a key has paused. */
export const PAUSED_BY_KEY = 'by a key, for this run only; press p to resume'

/** `paused: by an order, also in the next run; avocet resume continues it`; undefined of a crawl that is not paused. */
export function pausedInWords({ pausedFor, pausedBy }: Pick<CrawlStatus, 'pausedFor' | 'pausedBy'>): string | undefined {
  if (pausedFor === undefined) return undefined
  return `paused: ${pausedBy === 'operator' ? `by an order, also in the next run; ${resumed()}` : printable(pausedFor)}`
}

/** What is said where somebody presses the key while an order holds. */
export function orderHolds(): string {
  return `p pauses and resumes this run only, and an order has paused the crawl; ${resumed()}`
}

function resumed(): string {
  return `${commandLine(['resume'])} continues it`
}
