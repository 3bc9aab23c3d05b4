// What the process that runs a crawl can show of it beside the store: by a watcher of its own, so that what the page shows does not depend on the terminal.
// What is promised of hosts is asked while a page shows it, and at no other time.
import type { Crawl, CrawlConfig } from '@avocet/core'
import type { Clock, FrontierReader } from '@avocet/core/store'
import type { Explanation, HostStatus } from '@avocet/core/tools'
import type { ExchangeLine, Series } from '@avocet/dashboard'
import { foundByPolicies, type FoundByPolicies } from '@avocet/project/plan'
import { CrawlWatcher } from '../view/crawl-watcher.ts'
import type { Scene } from '../view/scene.ts'
import { RunTape } from './run-tape.ts'

/** What is looked at. */
export interface SightParts {
  readonly run: Pick<Crawl, 'hooks' | 'status' | 'explain' | 'withStore'>
  readonly reader: FrontierReader
  readonly config: Partial<CrawlConfig>
  readonly clock: Clock
  readonly sinkName: (name: string) => string
}

/** A host that the process holds. */
export type HostAtWork = Pick<HostStatus, 'hostKey' | 'waiting' | 'answered' | 'inFlight' | 'hold'>

/** All hosts at work, and what holds those that were given back. */
export interface LiveHosts {
  readonly atWork: readonly HostAtWork[]
  readonly parked: Explanation['holds']
}

/** What the row of a host shows beside that. */
export interface LiveRow {
  /** What its policies have found. Absent where this process does not hold it. */
  readonly found?: FoundByPolicies
  /** Answers of the last three minutes, oldest first: good, bad, good, bad, … */
  readonly recent: readonly number[]
}

/** One host, looked at closely. */
interface LiveCloseUp {
  /** Absent where this process does not hold it. */
  readonly explained?: Explanation
  /** Its last exchanges, the youngest first. */
  readonly exchanges: readonly ExchangeLine[]
}

/** A scene is of now for so long: all open pages share it. */
const SCENE_MS = 200
/** A rate needs several looks, also while no page is open. */
const LOOK_MS = 2_000
/** Last exchanges of a host that are shown. */
const SHOWN_EXCHANGES = 25

/** The sight of one run; made before it runs. */
export class RunSight implements Disposable {
  readonly #tape: RunTape
  readonly #watcher: CrawlWatcher
  readonly #clock: Clock
  #isOpen = false
  #scene: Scene | undefined
  #lookedAt = -Infinity
  #timer: Disposable | undefined

  constructor({ run, reader, config, clock, sinkName }: SightParts) {
    this.#clock = clock
    this.#tape = new RunTape(run)
    this.#watcher = new CrawlWatcher({ crawl: run, reader, config, sinkName })
    run.hooks.open.tap('ui', () => {
      this.#isOpen = true
      this.#look()
    })
  }

  /** Whether the store is open. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The crawl as it is; undefined before it has shown anything. */
  scene(): Scene | undefined {
    if (!this.#isOpen) return undefined
    const now = this.#clock.monotonic()
    if (now - this.#lookedAt < SCENE_MS) return this.#scene
    this.#lookedAt = now
    return (this.#scene = this.#watcher.look(0))
  }

  /** Refusals of this run. */
  get refusals(): number {
    return this.#tape.refusals
  }

  /** Each second of the last minutes. `now`: epoch ms. */
  lately(now: number): Series {
    return this.#tape.lately(now)
  }

  hosts(): LiveHosts {
    return { atWork: this.#statuses, parked: this.#watcher.parkedHolds(this.#now) }
  }

  /** What rows of hosts at work show beside that; those of which nothing is known are missing. */
  rows(hostKeys: readonly string[]): ReadonlyMap<string, LiveRow> {
    const statuses = new Map(this.#statuses.map((status) => [status.hostKey, status]))
    const rows = new Map<string, LiveRow>()
    for (const hostKey of hostKeys) {
      const { slices, explained } = this.#watcher.closeUp(hostKey, this.#now)
      const recent = slices.flatMap(({ good, bad }) => [good, bad])
      if (explained !== undefined)
        rows.set(hostKey, { found: foundByPolicies(explained.values, statuses.get(hostKey)?.proven === true), recent })
      else if (recent.some((count) => count > 0)) rows.set(hostKey, { recent })
    }
    return rows
  }

  host(hostKey: string): LiveCloseUp {
    const { explained } = this.#watcher.closeUp(hostKey, this.#now)
    return {
      ...(explained && { explained }),
      exchanges: this.#tape.lines(hostKey, SHOWN_EXCHANGES),
    }
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#isOpen = false
  }

  get #statuses(): readonly HostStatus[] {
    return this.scene()?.glance.status.hosts ?? []
  }

  /** Of the crawl, whose clock may be another one. */
  get #now(): number {
    return this.scene()?.glance.status.now ?? this.#clock.now()
  }

  #look(): void {
    if (!this.#isOpen) return
    this.scene()
    this.#timer = this.#clock.at(this.#clock.now() + LOOK_MS, () => this.#look())
  }
}
