// Sees everything that is asked on the web and answered, and keeps the ledger of pages and hosts by it.
import type { Clock, Outbound } from '@avocet/core/store'
import type { Freshness } from './freshness.ts'
import type { ItemsOracle } from './items-oracle.ts'
import type { Watcher } from './machine-net.ts'
import type { PageLife } from './page-life.ts'
import type { ProbationOracle } from './probation-oracle.ts'
import type { Span } from './trouble.ts'

/** Characters before the name of the host. */
const ORIGIN = 'https://'.length
/** What was begun in an outage may fail so long after it. */
const CONNECT_MS = 30_000

/** What one host was asked since the day began. */
export interface HostDay {
  asked: number
  failed: number
  robots: number
}

/** The watcher of all processes. */
export class Witness implements Watcher {
  readonly hosts: Map<string, HostDay> = new Map()
  /** Exchanges begun, of all days. */
  asked = 0
  /** What failed since the day began while the network was down, or not our own. */
  offline = 0
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #pages: ReadonlyMap<string, PageLife>
  readonly #freshness: Freshness
  readonly #items: ItemsOracle
  readonly #probation: ProbationOracle
  /** When the exchanges under way were sent. */
  readonly #sentMs = new WeakMap<Outbound, number>()
  readonly #outages: readonly Span[]

  constructor(
    clock: Clock,
    pages: ReadonlyMap<string, PageLife>,
    oracles: { freshness: Freshness; items: ItemsOracle; probation: ProbationOracle; outages: readonly Span[] },
  ) {
    this.#outages = oracles.outages
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#pages = pages
    this.#freshness = oracles.freshness
    this.#items = oracles.items
    this.#probation = oracles.probation
  }

  /** Ms since the web was started. */
  get nowMs(): number {
    return this.#clock.now() - this.#startedAt
  }

  begun({ url }: Outbound): void {
    this.asked++
    const host = this.#hostOf(url)
    host.asked++
    if (url.endsWith('/robots.txt')) host.robots++
    const page = this.#pages.get(url)
    if (page === undefined) return
    page.asked++
    page.askedToday++
    this.#probation.asked(page, this.nowMs)
  }

  sent(outbound: Outbound): void {
    this.#sentMs.set(outbound, this.nowMs)
  }

  answered(outbound: Outbound, status: number): void {
    const page = this.#pages.get(outbound.url)
    if (page?.product !== undefined && isGood(status)) this.#items.answered(page, this.#moments(outbound))
  }

  done(outbound: Outbound, status: number): void {
    const page = this.#pages.get(outbound.url)
    if (page === undefined) return
    this.#probation.answered(page, status, this.nowMs)
    if (isGood(status)) {
      page.served++
      page.servedToday++
      this.#freshness.served(page, this.#moments(outbound))
      if (page.product !== undefined) this.#items.served(page)
      return
    }
    const { nowMs, sentMs } = this.#moments(outbound)
    // Before the move a 301 is one of a maintenance.
    if (status === 301 && page.movedTo !== undefined && sentMs >= page.movedTo.bornMs) this.#freshness.known(page.movedTo, nowMs)
  }

  failed({ url }: Outbound): void {
    const { nowMs } = this
    if (!this.#outages.some(({ fromMs, untilMs }) => nowMs >= fromMs && nowMs <= untilMs + CONNECT_MS)) {
      this.#hostOf(url).failed++
      return
    }
    this.offline++
    // It never left this machine, or met a portal: no host felt it. How many there are of those is looked at in all.
    const page = this.#pages.get(url)
    if (page !== undefined && page.askedToday > 0) page.askedToday--
  }

  /** A day is over. */
  beginDay(): void {
    this.offline = 0
    for (const host of this.hosts.values()) host.asked = host.failed = host.robots = 0
    for (const page of this.#pages.values()) page.askedToday = page.servedToday = 0
  }

  #moments(outbound: Outbound): { nowMs: number; sentMs: number } {
    const { nowMs } = this
    return { nowMs, sentMs: this.#sentMs.get(outbound) ?? nowMs }
  }

  #hostOf(url: string): HostDay {
    const name = url.slice(ORIGIN, url.indexOf('/', ORIGIN))
    const known = this.hosts.get(name)
    if (known !== undefined) return known
    const host: HostDay = { asked: 0, failed: 0, robots: 0 }
    this.hosts.set(name, host)
    return host
  }
}

function isGood(status: number): boolean {
  return status === 200 || status === 304
}
