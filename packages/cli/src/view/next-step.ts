// What to do after a crawl, in one line, where there is something to do.
import type { CrawlReport } from '@avocet/core'
import { printable } from '../text/printable.ts'

/** What the line calls the store. */
export interface StoreName {
  /** Absent when it ends with the process. */
  readonly title?: string
  /** Absent when only the configuration knows: then `--fresh` cannot forget it. */
  readonly path?: string
}

/** One line, or none. What waits at hosts that were given up is not gone on with. */
export function nextStep({ ended, resumed, run, counts }: CrawlReport, { title, path }: StoreName): string[] {
  if (title === undefined) return []
  if (counts.waiting > counts.retired) return [`to go on, run the same command again (store: ${printable(title)})`]
  if (ended !== 'done' || !resumed || run.requests > 0) return []
  const afresh = path === undefined ? `an empty store (${title})` : '--fresh'
  return [
    `nothing to do: every known URL is settled${counts.waiting > 0 ? ', or waits at a host that was given up' : ''}; ${afresh} starts over, a new seed is gone on with`,
  ]
}
