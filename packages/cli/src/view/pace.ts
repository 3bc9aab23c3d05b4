// How fast a crawl goes and how long it will still take, from its status at a few moments.
//
// What is left takes as long as everything that waits at the rate of the last seconds, and at least as long as the slowest host needs for
// its own part: at the end of a crawl a thousand quick pages have gone by, and four that take seconds each are left.
import type { CrawlStatus, HostStatus } from '@avocet/core'

/** A status with what only a series of them tells. */
export interface Glance {
  readonly status: CrawlStatus
  /** Over the last ten seconds. */
  readonly pagesPerSecond: number
  /** Known only while less is waiting than before: a crawl that still finds more than it fetches has no known end. */
  readonly restMs?: number
}

/** Long enough to smooth a host that answers every few seconds, short enough to follow. */
const WINDOW_MS = 10_000

/** A host that never answered well is given up after so many probes, whatever it has waiting. */
const PROBES = 3

/** Collects statuses, oldest first. */
export class Pace {
  #samples: CrawlStatus[] = []

  /** Adds `status` and looks back. */
  glance(status: CrawlStatus): Glance {
    this.#samples = [...this.#samples.filter(({ now }) => now > status.now - WINDOW_MS), status]
    const first = this.#samples[0] ?? status
    const elapsedMs = status.now - first.now
    if (elapsedMs <= 0) return { status, pagesPerSecond: 0 }
    const pagesPerSecond = ((status.run.pages - first.run.pages) * 1_000) / elapsedMs
    const shrunk = first.waiting - status.waiting
    // Half a window at least: after that, the first burst of links is over.
    if (shrunk <= 0 || status.waiting === 0 || elapsedMs < WINDOW_MS / 2) return { status, pagesPerSecond }
    const restMs = Math.max((status.waiting * elapsedMs) / shrunk, slowestHostMs(first, status))
    return { status, pagesPerSecond, restMs }
  }
}

/** How long the host needs that needs longest, at its own pace since `first`. */
function slowestHostMs(first: CrawlStatus, { hosts, now }: CrawlStatus): number {
  const before = new Map(first.hosts.map((host) => [host.hostKey, endedOf(host)]))
  let longestMs = 0
  for (const host of hosts) {
    if (host.waiting === 0) continue
    const ended = endedOf(host) - (before.get(host.hostKey) ?? 0)
    const sinceStartMs = host.lastStartAt > 0 ? now - host.lastStartAt : 0
    // Of a host that ended nothing lately no more is known than how long that has lasted.
    const paceMs = ended > 0 ? (now - first.now) / ended : Math.max(host.lastDurationMs, sinceStartMs)
    const heldMs = host.hold && Number.isFinite(host.hold.until) ? Math.max(0, host.hold.until - now) : 0
    const left = host.proven ? host.waiting : Math.min(host.waiting, PROBES)
    // What holds the host now is the wait before the first of them.
    longestMs = Math.max(longestMs, Math.max(heldMs, paceMs) + paceMs * (left - 1))
  }
  return longestMs
}

/** Exchanges of this run that are over, well or not. */
function endedOf({ answered, failed }: HostStatus): number {
  return answered + failed
}
