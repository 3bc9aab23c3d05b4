// The live status of a run, from its parts. Asks nobody: cheap enough for four times a second.
import type { CrawlStatus, HostStatus, RunCounts } from '../report.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Totals } from '../run/tally.ts'
import type { Slots } from '../scheduler/slots.ts'

/** What the status is made of. */
export interface StatusParts extends Pick<
  CrawlStatus,
  'name' | 'phase' | 'now' | 'startedAt' | 'handlersRunning' | 'pausedFor' | 'pausedBy'
> {
  readonly run: RunCounts
  readonly totals: Totals
  readonly slots: Slots
  readonly hosts: Iterable<LiveHost>
}

/** The status. */
export function statusOf({ totals, slots, hosts, ...rest }: StatusParts): CrawlStatus {
  const live = [...hosts]
  return { ...rest, ...totals, inFlight: slots.used, slots: slots.total, liveHosts: live.length, hosts: live.map(hostStatus) }
}

function hostStatus(host: LiveHost): HostStatus {
  const { hold } = host.constraint
  return {
    hostKey: host.key,
    inFlight: host.inFlight,
    waiting: host.waiting,
    proven: host.proven,
    consecutiveFailures: host.consecutiveFailures,
    lastStartAt: host.lastStartAt,
    lastDurationMs: host.lastDurationMs,
    answered: host.answered,
    refused: host.refused,
    failed: host.failed,
    ...(hold && { hold }),
  }
}
