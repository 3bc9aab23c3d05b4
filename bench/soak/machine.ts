// One process of the crawl, from its start to its end: it stops in order, or is killed at any moment, and nothing of it is heard any more.
import { crawl, type CrawlConfig, type CrawlReport } from 'avocet'
import type { Clock, Fetcher, Frontier } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { MachineClock } from './machine-clock.ts'
import { MachineNet, type Watcher } from './machine-net.ts'
import { machineStore } from './machine-store.ts'

/** What a machine runs on. */
export interface MachineGround {
  readonly clock: Clock
  readonly web: Fetcher
  readonly watcher: Watcher
  readonly isFull: () => boolean
  readonly spoiledNet: (net: Fetcher, clock: Clock) => Fetcher
  readonly clockAheadMs: number
}

/** How a run ended by itself: with a report, or with an error. */
export type RunEnd = { readonly report: CrawlReport } | { readonly error: unknown }

/** A process under way. */
export class Machine {
  readonly #clock: MachineClock
  readonly #net: MachineNet
  readonly #crawl: ReturnType<typeof crawl>
  #isDead = false
  /** Settles when the run ends by itself or by a stop; never once it was killed. */
  readonly ended: Promise<RunEnd>

  constructor(frontier: Frontier, config: Omit<CrawlConfig, 'clock' | 'fetcher' | 'frontier'>, ground: MachineGround) {
    this.#clock = new MachineClock(ground.clock, ground.clockAheadMs)
    this.#net = new MachineNet(ground.web, this.#clock, ground.watcher)
    const store = machineStore(frontier, { isFull: ground.isFull, isDead: () => this.#isDead })
    this.#crawl = crawl({
      policies: [],
      ...config,
      clock: this.#clock,
      fetcher: ground.spoiledNet(this.#net, this.#clock),
      frontier: store,
    })
    this.ended = this.#crawl.run().then(
      (report) => ({ report }),
      (error: unknown) => ({ error }),
    )
  }

  get status(): CrawlStatus {
    return this.#crawl.status()
  }

  /** Wakes that the run has asked for and not had. */
  get wakes(): number {
    return this.#clock.scheduled
  }

  stop(): void {
    this.#crawl.stop()
  }

  /** SIGKILL. */
  kill(): void {
    this.#isDead = true
    this.#net.kill()
    this.#clock.kill()
  }

  sleep(): void {
    this.#clock.sleep()
    this.#net.sleep()
  }

  wake(): void {
    this.#clock.wake()
  }
}
