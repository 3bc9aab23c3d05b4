// The pace of `maxRps` as core keeps it, whatever a rate policy does: GCRA (ITU-T I.371 "virtual scheduling") without a burst.
import type { LiveHost } from './live-host.ts'

/** At most so much of a late start is made up for, or a busy process would never reach the rate that it is allowed. A rest gives no credit. */
const SLACK_MS = 50

/** When a request that starts `now` would have started, had all requests of `host` started evenly; epoch ms. */
export function evenStart({ options, evenStartAt }: LiveHost, now: number): number {
  const intervalMs = 1_000 / (options.maxRps ?? Infinity)
  const even = evenStartAt + intervalMs
  return even > now - Math.min(SLACK_MS, intervalMs / 2) ? even : now
}
