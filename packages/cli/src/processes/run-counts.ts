// Counters of runs, added up.
import type { CrawlReport } from '@avocet/core'

/** Counters of one run, or of several. */
type Counters = CrawlReport['run']

/** Of no run. */
export const NO_COUNTS: Counters = {
  pages: 0,
  requests: 0,
  failures: 0,
  items: 0,
  dropped: 0,
  spoiled: 0,
  rejects: 0,
  failed: 0,
  retried: 0,
  moved: 0,
  links: 0,
  added: 0,
  refusedLinks: 0,
  wireBytes: 0,
  pluginErrors: 0,
}

/** Those of two. */
export function addCounts(a: Counters, b: Counters): Counters {
  const names = Object.keys(NO_COUNTS) as (keyof Counters)[]
  return { ...a, ...Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) }
}
