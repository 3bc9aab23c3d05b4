// Watches a crawl for those that show it: the status, what its trace tells, and what plugins know of the hosts that matter. Gives scenes.
//
// Four times a second over 800 hosts: what is done for all of them is a look at their status, and plugins are asked only about hosts in the table.
import type { Crawl, CrawlConfig } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'
import { given } from '@avocet/project/options'
import type { HostIndex } from '../store/host-index.ts'
import { HostPicks, type HostLook } from './host-picks.ts'
import { HostWatch } from './host-watch.ts'
import { Pace, type HostNow } from './pace.ts'
import type { Scene } from './scene.ts'

/** What a watcher watches. */
export interface Watched {
  readonly crawl: Pick<Crawl, 'hooks' | 'status' | 'explain'>
  readonly config: Partial<CrawlConfig>
  /** Reads what hosts are like. Default: each is fine. */
  readonly index?: Pick<HostIndex, 'read' | 'get' | 'judged'>
  /** A sink as a person knows it. Default: as it is named. */
  readonly sinkName?: (name: string) => string
}

/** Hosts that a process does not hold. */
interface HostsAtRest {
  readonly parked: ReturnType<HostWatch['parked']>
  readonly later: readonly HostNow[]
}

/** One for each crawl, made before it runs. */
export class CrawlWatcher {
  readonly #crawl: Watched['crawl']
  readonly #watch: HostWatch
  readonly #pace: Pace
  readonly #sinkName: (name: string) => string
  readonly #picks = new HostPicks()
  readonly #index: Watched['index']

  constructor({ crawl, config, index, sinkName = (name) => name }: Watched) {
    this.#index = index
    this.#sinkName = sinkName
    this.#crawl = crawl
    this.#watch = new HostWatch(crawl)
    this.#pace = new Pace(config)
  }

  /** The crawl as it is now, with at most `room` of the hosts that matter. */
  look(room: number): Scene {
    const { sinks, ...rest } = this.#crawl.status()
    const told = sinks?.map((sink) => ({ ...sink, name: this.#sinkName(sink.name) }))
    const status = { ...rest, ...shownCounts(rest), ...(told && { sinks: told }) }
    const { now } = status
    const { parked, later } = this.#atRest(status)
    const hosts = [...status.hosts, ...parked.map((host) => host.status)]
    const views = new Map(hosts.map((host) => [host.hostKey, this.#view(host, status)]))
    // What cannot be read now is as it was.
    if (isOpen(status)) void this.#index?.read().catch(() => undefined)
    return {
      glance: this.#pace.glance(status, hosts),
      failures: this.#watch.failures,
      troubles: this.#watch.troubles,
      refusals: this.#watch.refusals,
      parkedHosts: later.length,
      parkedHolds: this.#watch.parked(now).flatMap(({ status: { hold } }) => hold ?? []),
      ...given('judged', this.#index?.judged),
      ...heldOf(hosts, status),
      ...this.#picks.pick(views, { room, now }),
    }
  }

  /** Hosts that this process has given back. `later`: those of them that nobody has paused. */
  #atRest({ pausedHosts, now }: CrawlStatus): HostsAtRest {
    const { count, first } = pausedHosts ?? { count: 0, first: [] }
    const paused = new Set(first.map(({ hostKey }) => hostKey))
    // One that another process has resumed, and goes on with, is not told here.
    const isResumed = ({ hostKey, hold }: HostNow): boolean =>
      hold?.by === 'operator' && count === first.length && !paused.has(hostKey)
    const parked = this.#watch.parked(now).filter(({ status }) => !isResumed(status))
    const later = parked.map(({ status }) => status).filter((one) => one.hold?.by !== 'operator' && !paused.has(one.hostKey))
    return { parked, later }
  }

  #view(status: HostNow, { phase }: CrawlStatus): HostLook {
    const { hostKey } = status
    const { state, why } = this.#index?.get(hostKey) ?? NOT_READ
    return { status, state, why, values: () => this.#crawl.explain(hostKey)?.values ?? {}, phase }
  }
}

/** A host that is new. */
const NOT_READ = { state: 'fine', why: '' } as const

/** They add up, and none is less than nothing: what is settled was known, also where another command has found or changed it. */
function shownCounts({ known, ...counted }: CrawlStatus): Partial<CrawlStatus> {
  const [done, moved, failed] = [Math.max(0, counted.done), Math.max(0, counted.moved), Math.max(0, counted.failed)]
  const settled = done + moved + failed
  return { known: Math.max(known, settled), waiting: Math.max(0, known - settled), settled, done, moved, failed }
}

function isOpen({ phase }: CrawlStatus): boolean {
  return phase !== 'opening' && phase !== 'closed'
}

/** A host that waits no longer is held by nothing that a person could want to know; with nothing in flight at all a person asks sooner. */
const SOON_MS = 5_000
const SOON_WHEN_IDLE_MS = 1_000

/** Hosts that nothing is sent to until a moment that is known, and the first that goes on. */
function heldOf(hosts: readonly HostNow[], { phase, now, ...crawl }: CrawlStatus): Pick<Scene, 'heldHosts' | 'firstHeld'> {
  const soonMs = crawl.inFlight === 0 && phase === 'running' ? SOON_WHEN_IDLE_MS : SOON_MS
  const held = hosts.flatMap(({ hostKey, hold, inFlight, waiting }) => {
    const isHeld = hold && inFlight === 0 && waiting > 0 && Number.isFinite(hold.until) && hold.until > now + soonMs
    return isHeld ? [{ hostKey, hold }] : []
  })
  const [first, ...others] = held
  if (first === undefined) return { heldHosts: 0 }
  return { heldHosts: held.length, firstHeld: others.reduce((a, b) => (b.hold.until < a.hold.until ? b : a), first) }
}
