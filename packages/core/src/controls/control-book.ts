// The orders of operators as this process knows them: what all parts of a run ask, and what one of them adds to.
import type { HostOptions } from '../host-options.ts'
import type { MemoryParts } from '../frontier-reader.ts'
import type { CrawlStatus } from '../report.ts'
import { isUntilResumed } from '../until-resumed.ts'
import {
  batchName,
  changesOf,
  controlled,
  controlsIn,
  controlsPart,
  joinedControls,
  NO_CONTROLS,
  withCarriedOut,
  withGivenUpChange,
  withOffered,
} from './controls.ts'
import type { ControlChanges, Controls } from './controls.ts'
import type { Control, GivenUpChange } from './control.ts'
import { orderedAt, orderedLimits } from './host-controls.ts'

/** Paused hosts that the status names. */
const MAX_NAMED = 100

/** What is to be written into the crawl's memory, and what takes it in once it is. */
export interface UnwrittenControls {
  readonly part: MemoryParts
  take(): ControlChanges
}

/** One for each run. */
export class ControlBook {
  #controls: Controls = NO_CONTROLS
  /** By host, the moment up to which this process has carried out its orders, beyond what is written. */
  readonly #done = new Map<string, number>()
  /** Hosts with a pause, ordered by name: asked four times a second, and changed by orders alone. */
  #pauses: readonly { readonly hostKey: string; readonly until: number }[] = []

  /** Takes in what processes wrote. Returns what is new in it. */
  hears(crawlMemories: readonly MemoryParts[]): ControlChanges {
    return this.#take(joinedControls(this.#controls, controlsIn(crawlMemories)))
  }

  /** What an order makes of it. Throws AVO_USAGE. */
  ordered(control: Control, now: number): UnwrittenControls {
    return this.#adding(controlled(this.#controls, control, now))
  }

  /** The same of given-up pages that were changed in the store. Throws AVO_USAGE. */
  givenUpChanged(change: GivenUpChange, now: number): UnwrittenControls {
    return this.#adding(withGivenUpChange(this.#controls, change, now))
  }

  /** The same of batches of seeds that were offered. */
  offered(batches: Controls['seeds']): UnwrittenControls {
    return this.#adding(withOffered(this.#controls, batches.map(batchName)))
  }

  /** Whether the whole crawl is paused. */
  get isPaused(): boolean {
    return this.#controls.paused?.value === true
  }

  /** A URL of each site that added seeds opened. */
  get seedUrls(): readonly string[] {
    return this.#controls.origins.map((origin) => `${origin}/`)
  }

  /** Batches of seeds that no run is known to have offered. */
  get seeds(): Controls['seeds'] {
    return this.#controls.seeds
  }

  /** Hosts with orders that no run is known to have carried out: they may be in the store with a moment, or a memory, that is overtaken. */
  get wakeable(): readonly string[] {
    const { hosts, carriedOut } = this.#controls
    return Object.entries(hosts).flatMap(([hostKey, host]) => (orderedAt(host) > carriedOut ? [hostKey] : []))
  }

  /** The moment of the last order for a host, epoch ms; 0 = there is none. */
  orderedAt(hostKey: string): number {
    return orderedAt(this.#of(hostKey) ?? {})
  }

  /**
   * By host, orders up to a moment were carried out: what is to be written of it; undefined where that is nothing new. What is written is one moment for all
   * hosts, so it is before the first order that was not carried out: a run that is killed would leave that one's host as it was.
   */
  carriedOut(done: ReadonlyMap<string, number>): UnwrittenControls | undefined {
    for (const [hostKey, at] of done) this.#done.set(hostKey, Math.max(at, this.#done.get(hostKey) ?? 0))
    const { hosts, carriedOut } = this.#controls
    const later = Object.entries(hosts).map(([hostKey, host]) => ({ hostKey, at: orderedAt(host) }))
    const open = later.filter(({ at }) => at > carriedOut)
    const first = open.reduce(
      (least, { hostKey, at }) => ((this.#done.get(hostKey) ?? 0) < at ? Math.min(least, at) : least),
      Infinity,
    )
    const until = open.reduce((latest, { at }) => (at < first ? Math.max(latest, at) : latest), carriedOut)
    for (const [hostKey, at] of this.#done) if (at <= until) this.#done.delete(hostKey)
    return until > carriedOut ? this.#adding(withCarriedOut(this.#controls, until)) : undefined
  }

  /** Options of a host: those of the configuration, and its ordered limits in place of some. */
  optionsOf(hostKey: string, configured: HostOptions): HostOptions {
    const host = this.#of(hostKey)
    return host === undefined ? configured : { ...configured, ...orderedLimits(host) }
  }

  /** Epoch ms until which nothing is sent to a host; 0 = it is not paused. */
  pausedUntil(hostKey: string): number {
    return this.#of(hostKey)?.pausedUntil?.value ?? 0
  }

  /** Hosts that are paused at `now` (epoch ms), as the status has them. */
  pausedHosts(now: number): Pick<CrawlStatus, 'pausedHosts'> {
    const paused = this.#pauses.filter(({ until }) => until > now)
    return paused.length === 0 ? {} : { pausedHosts: { count: paused.length, first: paused.slice(0, MAX_NAMED) } }
  }

  /** When its memory was last to be forgotten, epoch ms; 0 = never. */
  forgottenAt(hostKey: string): number {
    return this.#of(hostKey)?.forgotten?.at ?? 0
  }

  #of(hostKey: string): Controls['hosts'][string] | undefined {
    return Object.hasOwn(this.#controls.hosts, hostKey) ? this.#controls.hosts[hostKey] : undefined
  }

  #adding(added: Controls): UnwrittenControls {
    // Others may be heard while it is written.
    return { part: controlsPart(added), take: () => this.#take(joinedControls(this.#controls, added)) }
  }

  #take(after: Controls): ControlChanges {
    const changes = changesOf(this.#controls, after)
    this.#controls = after
    if (changes.hosts.length > 0) this.#pauses = pausesOf(after)
    return changes
  }
}

function pausesOf({ hosts }: Controls): readonly { readonly hostKey: string; readonly until: number }[] {
  return Object.entries(hosts)
    .map(([hostKey, { pausedUntil: { value } = { value: 0 } }]) => ({ hostKey, until: isUntilResumed(value) ? Infinity : value }))
    .filter(({ until }) => until > 0)
    .toSorted((a, b) => (a.hostKey < b.hostKey ? -1 : 1))
}
