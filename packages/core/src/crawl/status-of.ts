// The live status of a run. Asks nobody: cheap enough for four times a second.
import { lastRounds } from '../hosts/rounds.ts'
import { hostStatus } from '../hosts/host-status.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { CrawlStatus } from '../ports/report.ts'
import { Slots } from '../scheduler/slots.ts'
import { explainLiveHost, type Explanation } from '../hooks/explain-host.ts'
import type { Run } from '../run/run.ts'
import type { Drain } from './drain.ts'
import type { Engine } from './engine.ts'

/** How far a run is. */
interface Progress {
  readonly phase: CrawlStatus['phase']
  readonly startedAt: number
  readonly engine: Engine | undefined
  readonly draining: Drain | undefined
  readonly seeds: CrawlStatus['seeds'] | undefined
}

/** The status. */
export function statusOf(run: Run, { phase, startedAt, engine, draining, seeds }: Progress): CrawlStatus {
  const { settings, tally, stations, sinks, pause } = run
  const { why: paused, by: pausedBy } = pause
  const now = settings.clock.now()
  const connections = settings.fetcher.loaded?.connections?.()
  const slots = engine?.slots ?? new Slots(settings.concurrency)
  const live = [...(engine?.window.hosts.values() ?? [])]
  return {
    name: settings.spider.name,
    phase: phase === 'running' && paused !== undefined ? 'paused' : phase,
    now,
    startedAt,
    run: { ...tally.counts, pluginErrors: stations.caught },
    handlersRunning: engine?.pages.running ?? 0,
    ...(connections && { connections }),
    ...(seeds && { seeds }),
    ...(phase === 'running' && engine && Number.isFinite(engine.nextAt) && { nextAt: engine.nextAt }),
    ...settings.orders.loaded?.pausedHosts(now),
    ...(sinks.status && { sinks: sinks.status }),
    ...(phase === 'draining' && draining && { drain: draining.status }),
    ...(paused !== undefined && { pausedFor: paused }),
    ...(pausedBy !== undefined && { pausedBy }),
    ...tally.totals,
    rounds: lastRounds(tally.visits.rounds ?? []),
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
