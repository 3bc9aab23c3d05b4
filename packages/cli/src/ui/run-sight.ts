// A crawl of this process, looked at for the page: by a watcher of its own, so that what the page shows does not depend on the terminal.
import type { Crawl, CrawlConfig } from '@avocet/core'
import type { Clock, FrontierReader } from '@avocet/core/store'
import type { Series } from '@avocet/dashboard'
import { CrawlWatcher } from '../view/crawl-watcher.ts'
import type { LiveCloseUp, LiveHosts, LiveRow } from '../view/live-hosts.ts'
import type { Scene } from '../view/scene.ts'
import type { LiveSight } from './live-sight.ts'
import { OwnHosts } from './own-hosts.ts'
import { RunTape } from './run-tape.ts'

/** What is looked at. */
export interface SightParts {
  readonly run: Pick<Crawl, 'hooks' | 'status' | 'explain' | 'withStore'>
  readonly reader: FrontierReader
  readonly config: Partial<CrawlConfig>
  readonly clock: Clock
  readonly sinkName: (name: string) => string
}

/** A scene is of now for so long: all open pages share it. */
const SCENE_MS = 200
/** A rate needs several looks, also while no page is open. */
const LOOK_MS = 2_000

/** The sight of one run; made before it runs. */
export class RunSight implements LiveSight, Disposable {
  readonly #tape: RunTape
  readonly #watcher: CrawlWatcher
  readonly #hosts: OwnHosts
  readonly #clock: Clock
  #isOpen = false
  #scene: Scene | undefined
  #lookedAt = -Infinity
  #timer: Disposable | undefined

  constructor({ run, reader, config, clock, sinkName }: SightParts) {
    this.#clock = clock
    this.#tape = new RunTape(run)
    this.#watcher = new CrawlWatcher({ crawl: run, reader, config, sinkName })
    const { exchanges } = this.#tape
    this.#hosts = new OwnHosts({ watcher: this.#watcher, exchanges, statuses: () => this.scene()?.glance.status.hosts ?? [] })
    run.hooks.open.tap('ui', () => {
      this.#isOpen = true
      this.#look()
    })
  }

  /** Whether the store is open. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  scene(): Scene | undefined {
    if (!this.#isOpen) return undefined
    const now = this.#clock.monotonic()
    if (now - this.#lookedAt < SCENE_MS) return this.#scene
    this.#lookedAt = now
    return (this.#scene = this.#watcher.look(0))
  }

  get refusals(): number {
    return this.#tape.refusals
  }

  lately(now: number): Series {
    return this.#tape.seconds.series(now)
  }

  async hosts(): Promise<LiveHosts> {
    return this.#hosts.all(this.#now)
  }

  async rows(hostKeys: readonly string[]): Promise<ReadonlyMap<string, LiveRow>> {
    const rows = this.#hosts.rows(hostKeys, this.#now)
    return new Map(hostKeys.flatMap((hostKey, n) => (rows[n] ? [[hostKey, rows[n]] as const] : [])))
  }

  async host(hostKey: string): Promise<LiveCloseUp> {
    return this.#hosts.host(hostKey, this.#now)
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#isOpen = false
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
