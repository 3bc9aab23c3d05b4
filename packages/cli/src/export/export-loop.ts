// Keeps outputs up to date while a crawl runs: once a second, and once more at its end.
import { AvocetError } from '@avocet/core'
import { messageOf, type Clock } from '@avocet/core/store'
import type { ExportSource, ItemExport } from './item-export.ts'

/** Often enough to watch a file grow, seldom enough that its fsync does not count. */
const INTERVAL_MS = 1_000

/** Exports in rounds, one after the other. After the first error nothing more is written. */
export class ExportLoop {
  readonly #exports: readonly ItemExport[]
  readonly #clock: Clock
  readonly #failed: (error: AvocetError) => void
  #timer: Disposable | undefined
  /** Settles when the current round has finished; never rejects. */
  #round: Promise<void> = Promise.resolve()
  /** Targets know where they stand. */
  #begun = false
  #broken = false
  #stopped = false

  /** @param failed is called with the first error, at once: a crawl whose output cannot be written should stop. */
  constructor(exports: readonly ItemExport[], clock: Clock, failed: (error: AvocetError) => void) {
    this.#exports = exports
    this.#clock = clock
    this.#failed = failed
  }

  /** Finds out where the targets stand, writes what they lack, and goes on once a second. Rejects when a target cannot be gone on with. */
  async start(source: ExportSource): Promise<void> {
    try {
      for (const target of this.#exports) await target.begin(source)
    } catch (error) {
      this.#break(error)
      throw error
    }
    this.#begun = true
    this.#go()
  }

  /** Ends the rounds and writes what is left; nothing, when it never started. */
  async finish(): Promise<void> {
    await this.stop()
    if (!this.#begun) return
    await this.#catchUp()
    await this.#unlessBroken((target) => target.finish?.())
  }

  /** Ends the rounds. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.[Symbol.dispose]()
    await this.#round
  }

  #go(): void {
    if (this.#exports.length === 0) return
    this.#round = this.#catchUp()
    void this.#round.then(() => {
      if (!this.#broken && !this.#stopped) this.#timer = this.#clock.at(this.#clock.now() + INTERVAL_MS, () => this.#go())
    })
  }

  #catchUp(): Promise<void> {
    return this.#unlessBroken((target) => target.catchUp())
  }

  async #unlessBroken(step: (target: ItemExport) => Promise<void> | undefined): Promise<void> {
    if (this.#broken) return
    try {
      for (const target of this.#exports) await step(target)
    } catch (error) {
      this.#break(error)
    }
  }

  #break(error: unknown): void {
    this.#broken = true
    this.#failed(error instanceof AvocetError ? error : new AvocetError('AVO_INTERNAL', messageOf(error), { cause: error }))
  }
}
