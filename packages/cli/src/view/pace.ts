// How fast a crawl goes and how long it will still take, from its status at a few moments.
//
// What is left takes as long as everything that waits at the rate of the last seconds, and at least as long as the slowest host needs for
// its own part: at the end of a crawl a thousand quick pages have gone by, and four that take seconds each are left. A limit of the run may come first.
import type { CrawlConfig } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'
import { DEFAULTS } from '@avocet/core/store'

/** A host as a status has it. */
export type HostNow = CrawlStatus['hosts'][number]

/** A status with what only a series of them tells. */
export interface Glance {
  readonly status: CrawlStatus
  /** Over the last ten seconds, or since the look before where that is longer ago; and over the whole run. */
  readonly pagesPerSecond: number
  readonly averagePagesPerSecond: number
  /**
   * Known only while the crawl runs, and less is waiting than before, or a limit is set: a crawl that still finds more than it fetches has no known
   * end.
   */
  readonly restMs?: number
}

/** Long enough to smooth a host that answers every few seconds, short enough to follow. */
const WINDOW_MS = 10_000

/** A host that never answered well is given up after so many probes, whatever it has waiting. */
const PROBES = 3

/** What ends a run early. */
type Limits = Pick<CrawlConfig, 'patienceMs' | 'maxTimeMs' | 'maxPages'>

/** Collects statuses, oldest first. */
export class Pace {
  #samples: CrawlStatus[] = []
  readonly #limits: Limits

  constructor(limits: Limits = {}) {
    this.#limits = limits
  }

  /** Adds `status` and looks back. `hosts`: also those with something waiting that the status does not have. */
  glance(status: CrawlStatus, hosts: readonly HostNow[] = status.hosts): Glance {
    const recent = this.#samples.filter(({ now }) => now > status.now - WINDOW_MS)
    this.#samples = [...(recent.length > 0 ? recent : this.#samples.slice(-1)), status]
    const first = this.#samples[0] ?? status
    const elapsedMs = status.now - first.now
    const averagePagesPerSecond = perSecond(status.run.pages, status.now - status.startedAt)
    const pagesPerSecond = perSecond(status.run.pages - first.run.pages, elapsedMs)
    const glance = { status, pagesPerSecond, averagePagesPerSecond }
    // A paused crawl has no known end, and one that drains says how long that may take.
    if (status.phase !== 'running' || status.pausedFor !== undefined) return glance
    const restMs = Math.min(this.#untilAllIsDoneMs(first, status, hosts), this.#untilALimitMs(status, pagesPerSecond))
    return Number.isFinite(restMs) ? { ...glance, restMs } : glance
  }

  /** Infinity = not known. */
  #untilAllIsDoneMs(first: CrawlStatus, status: CrawlStatus, hosts: readonly HostNow[]): number {
    const elapsedMs = status.now - first.now
    const shrunk = first.waiting - status.waiting
    // Of several processes, what single hosts need is not known.
    if (status.seeds !== undefined || hosts.length === 0) return Infinity
    // Half a window at least: after that, the first burst of links is over.
    if (shrunk <= 0 || status.waiting === 0 || elapsedMs < WINDOW_MS / 2) return Infinity
    // Nobody knows when hosts are resumed that an operator has paused without an end.
    const pausedMs = (status.pausedHosts?.first ?? []).map(({ until }) => until - status.now)
    return Math.max((status.waiting * elapsedMs) / shrunk, this.#slowestHostMs(first, status.now, hosts), ...pausedMs)
  }

  /** Infinity = the run has none, or gets no pages. */
  #untilALimitMs({ now, startedAt, run }: CrawlStatus, pagesPerSecond: number): number {
    const { maxTimeMs = Infinity, maxPages = Infinity } = this.#limits
    const isKnown = pagesPerSecond > 0 && now - startedAt >= WINDOW_MS / 2
    const pagesMs = !isKnown ? Infinity : ((maxPages - run.pages) * 1_000) / pagesPerSecond
    return Math.max(0, Math.min(startedAt + maxTimeMs - now, pagesMs))
  }

  /** How long the host needs that needs longest, at its own pace since `first`; Infinity = one is paused without an end. */
  #slowestHostMs(first: CrawlStatus, now: number, hosts: readonly HostNow[]): number {
    const before = new Map(first.hosts.map((host) => [host.hostKey, endedOf(host)]))
    let longestMs = 0
    for (const host of hosts) {
      if (host.waiting === 0) continue
      const ended = endedOf(host) - (before.get(host.hostKey) ?? 0)
      const sinceStartMs = host.lastStartAt > 0 ? now - host.lastStartAt : 0
      // Of a host that ended nothing lately no more is known than how long that has lasted.
      const paceMs = ended > 0 ? (now - first.now) / ended : Math.max(host.lastDurationMs, sinceStartMs)
      const isPaused = host.hold?.by === 'operator'
      // Nobody knows when it is resumed.
      if (isPaused && host.hold?.until === Infinity) return Infinity
      const heldMs = host.hold && Number.isFinite(host.hold.until) ? Math.max(0, host.hold.until - now) : 0
      if (!isPaused && heldMs > (this.#limits.patienceMs ?? DEFAULTS.patienceMs)) continue
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
function endedOf({ answered, failed }: HostNow): number {
  return answered + failed
}
