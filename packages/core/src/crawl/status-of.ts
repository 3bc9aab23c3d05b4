// The live status of a run, from its parts. Asks nobody: cheap enough for four times a second.
import { lastRounds } from '../hosts/rounds.ts'
import { hostStatus } from '../hosts/host-status.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { CrawlStatus, RunCounts } from '../ports/report.ts'
import type { Tally, Totals } from '../run/tally.ts'
import type { Slots } from '../scheduler/slots.ts'
import { explainLiveHost, type Explanation } from '../hooks/explain-host.ts'
import type { Run } from '../run/run.ts'

/** What the status is made of. */
export interface StatusParts extends Pick<
  CrawlStatus,
  | 'name'
  | 'phase'
  | 'now'
  | 'startedAt'
  | 'handlersRunning'
  | 'connections'
  | 'drain'
  | 'pausedHosts'
  | 'pausedFor'
  | 'pausedBy'
  | 'sinks'
  | 'nextAt'
> {
  readonly run: RunCounts
  readonly totals: Totals
  readonly visits: Tally['visits']
  readonly slots: Slots
  readonly hosts: Iterable<LiveHost>
}

/** The status. */
export function statusOf({ totals, visits, slots, hosts, ...rest }: StatusParts): CrawlStatus {
  const live = [...hosts]
  const rounds = lastRounds(visits.rounds ?? [])
  return {
    ...rest,
    ...totals,
    rounds,
    inFlight: slots.used,
    slots: slots.total,
    liveHosts: live.length,
    hosts: live.map(hostStatus),
  }
}

/** Asks the plugins of the run about `host`. */
export function explainHeldHost(host: LiveHost, { settings, memories }: Pick<Run, 'settings' | 'memories'>): Explanation {
  const { plugins, clock } = settings
  const now = clock.now()
  return explainLiveHost(host, { plugins, memories, nextUrl: host.queue.peek(now)?.url, now })
}
