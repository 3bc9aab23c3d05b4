// Watches a crawl for those that show it: the status, what its trace tells, and what plugins know of the hosts that matter. Gives scenes.
//
// Four times a second over 800 hosts: what is done for all of them is a look at their status, and plugins are asked only about hosts in the table.
import type { Crawl, CrawlConfig } from '@avocet/core'
import type { CrawlStatus, Explanation } from '@avocet/core/tools'
import { given } from '@avocet/project/options'
import { foundRpsOf } from '@avocet/project/plan'
import type { HostIndex } from '../store/host-index.ts'
import { byName, HOST_CONDITIONS } from '../text/left-undone.ts'
import { HostWatch } from './host-watch.ts'
import { Pace, type HostNow } from './pace.ts'
import type { HostRow, Scene } from './scene.ts'

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

  /** The crawl as it is now, with at most `room` of the hosts that matter. Without room none is read to know what it is like. */
  look(room?: number): Scene {
    const { sinks, ...rest } = this.#crawl.status()
    const told = sinks?.map((sink) => ({ ...sink, name: this.#sinkName(sink.name) }))
    const status = { ...rest, ...shownCounts(rest), ...(told && { sinks: told }) }
    const { now } = status
    const { parked, later } = this.#atRest(status)
    const hosts = [...status.hosts, ...parked.map((host) => host.status)]
    const views = new Map(hosts.map((host) => [host.hostKey, this.#view(host, status)]))
    // What cannot be read now is as it was.
    if (room !== undefined && isOpen(status)) void this.#index?.read().catch(() => undefined)
    return {
      glance: this.#pace.glance(status, hosts),
      failures: this.#watch.failures,
      troubles: this.#watch.troubles,
      refusals: this.#watch.refusals,
      parkedHosts: later.length,
      parkedHolds: parked.flatMap(({ status: { hold } }) => hold ?? []),
      ...given('judged', this.#index?.judged),
      ...heldOf(hosts, status),
      ...this.#picks.pick(views, { room: room ?? 0, now }),
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

// Which hosts the table shows, and what each row says: in turn the first of each kind that matters, each once, until there is no more room.
//
// Chosen anew every two seconds only: a table whose lines change places four times a second cannot be read.

const CHOOSE_MS = 2_000

/** What is known of one host. */
export interface HostLook extends Pick<HostRow, 'state' | 'why'> {
  readonly status: HostNow
  /** What each plugin knows of it. All of them are asked: for a host that is shown. */
  readonly values: () => Explanation['values']
  /** Of the crawl. */
  readonly phase: CrawlStatus['phase']
}

/** Keeps the choice between frames. */
export class HostPicks {
  #chosen: readonly string[] = []
  #chosenAt = -Infinity

  /** At most `room` rows. Hosts with nothing to do are left out, and their places filled at once. */
  pick(
    views: ReadonlyMap<string, HostLook>,
    { room, now }: { readonly room: number; readonly now: number },
  ): Pick<Scene, 'rows' | 'workingHosts'> {
    const working = [...views.values()].filter(isAtWork)
    // Who asks for none leaves the choice of others alone.
    if (room === 0) return { rows: [], workingHosts: working.length }
    const shown = this.#shown(views)
    if (now - this.#chosenAt >= CHOOSE_MS || shown.length !== Math.min(room, working.length)) {
      this.#chosen = choose(working, room)
      this.#chosenAt = now
    }
    return { rows: this.#shown(views).map((view) => rowOf(view, now)), workingHosts: working.length }
  }

  #shown(views: ReadonlyMap<string, HostLook>): readonly HostLook[] {
    return this.#chosen.flatMap((hostKey) => views.get(hostKey) ?? []).filter(isAtWork)
  }
}

/** A crawl that drains begins nothing more: what waits is no work of this run. */
function isAtWork({ status, phase }: HostLook): boolean {
  return status.inFlight > 0 || (status.waiting > 0 && phase !== 'draining')
}

/** Keys of the chosen hosts, in the order of the table. */
function choose(views: readonly HostLook[], room: number): readonly string[] {
  const chosen: HostLook[] = []
  const queues = HOST_CONDITIONS.map((state) => views.filter((view) => view.state === state).sort(busiestFirst))
  for (let n = 0; chosen.length < Math.min(room, views.length); n++)
    chosen.push(...queues.flatMap((queue) => queue[n] ?? []).slice(0, room - chosen.length))
  const rank = ({ state }: HostLook): number => HOST_CONDITIONS.indexOf(state)
  return chosen.sort((a, b) => rank(a) - rank(b) || byName(a.status, b.status)).map(({ status }) => status.hostKey)
}

function busiestFirst({ status: a }: HostLook, { status: b }: HostLook): number {
  return b.inFlight - a.inFlight || b.waiting - a.waiting || byName(a, b)
}

function rowOf({ status, state, why, values }: HostLook, now: number): HostRow {
  const { hostKey, waiting, hold, proven } = status
  return {
    ...{ hostKey, state, why, waiting },
    // Of a host that never answered well nothing was found yet.
    ...(proven && given('foundRps', foundRpsOf(values()))),
    ...(hold && hold.until > now && { hold }),
  }
}
