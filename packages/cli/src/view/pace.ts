// How fast a crawl goes and how long it will still take, from its status at a few moments.
//
// What is left takes as long as everything that waits at the rate of the last seconds, and at least as long as the slowest host needs for
// its own part: at the end of a crawl a thousand quick pages have gone by, and four that take seconds each are left.
import type { CrawlStatus, HostStatus } from '@avocet/core/tools'

/** A status with what only a series of them tells. */
export interface Glance {
  readonly status: CrawlStatus
  /** Over the last ten seconds, and over the whole run. */
  readonly pagesPerSecond: number
  readonly averagePagesPerSecond: number
  /** Known only while less is waiting than before: a crawl that still finds more than it fetches has no known end. */
  readonly restMs?: number
}

/** Long enough to smooth a host that answers every few seconds, short enough to follow. */
const WINDOW_MS = 10_000

/** A host that never answered well is given up after so many probes, whatever it has waiting. */
const PROBES = 3

/** Core's default: a crawl does not wait longer than this for a host that is held. */
const DEFAULT_PATIENCE_MS = 15 * 60_000

/** Collects statuses, oldest first. */
export class Pace {
  #samples: CrawlStatus[] = []
  readonly #patienceMs: number

  constructor(patienceMs: number = DEFAULT_PATIENCE_MS) {
    this.#patienceMs = patienceMs
  }

  /** Adds `status` and looks back. `parked` are hosts with something waiting that the status does not have. */
  glance(status: CrawlStatus, parked: readonly HostStatus[] = []): Glance {
    this.#samples = [...this.#samples.filter(({ now }) => now > status.now - WINDOW_MS), status]
    const first = this.#samples[0] ?? status
    const elapsedMs = status.now - first.now
    const averagePagesPerSecond = perSecond(status.run.pages, status.now - status.startedAt)
    const pagesPerSecond = perSecond(status.run.pages - first.run.pages, elapsedMs)
    const glance = { status, pagesPerSecond, averagePagesPerSecond }
    const shrunk = first.waiting - status.waiting
    // Half a window at least: after that, the first burst of links is over.
    if (shrunk <= 0 || status.waiting === 0 || elapsedMs < WINDOW_MS / 2) return glance
    const hosts = [...status.hosts, ...parked]
    return { ...glance, restMs: Math.max((status.waiting * elapsedMs) / shrunk, this.#slowestHostMs(first, status.now, hosts)) }
  }

  /** How long the host needs that needs longest, at its own pace since `first`. */
  #slowestHostMs(first: CrawlStatus, now: number, hosts: readonly HostStatus[]): number {
    const before = new Map(first.hosts.map((host) => [host.hostKey, endedOf(host)]))
    let longestMs = 0
    for (const host of hosts) {
      if (host.waiting === 0) continue
      const ended = endedOf(host) - (before.get(host.hostKey) ?? 0)
      const sinceStartMs = host.lastStartAt > 0 ? now - host.lastStartAt : 0
      // Of a host that ended nothing lately no more is known than how long that has lasted.
      const paceMs = ended > 0 ? (now - first.now) / ended : Math.max(host.lastDurationMs, sinceStartMs)
      const heldMs = host.hold && Number.isFinite(host.hold.until) ? Math.max(0, host.hold.until - now) : 0
      if (heldMs > this.#patienceMs) continue
      const left = host.proven ? host.waiting : Math.min(host.waiting, PROBES)
      // What holds the host now is the wait before the first of them.
      longestMs = Math.max(longestMs, Math.max(heldMs, paceMs) + paceMs * (left - 1))
    }
    return longestMs
  }
}

function perSecond(count: number, ms: number): number {
  return ms <= 0 ? 0 : (count * 1_000) / ms
}

/** Exchanges of this run that are over, well or not. */
function endedOf({ answered, failed }: HostStatus): number {
  return answered + failed
}
