// The counters of a run that has done nothing yet.
import type { CrawlReport } from '@avocet/core'

/** All of them, 0 each. */
export const NO_RUN: CrawlReport['run'] = {
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
