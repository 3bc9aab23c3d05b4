// Keeps outputs up to date while a crawl runs: once a second, and once more at its end.
import { AvocetError } from '@avocet/core'
import { messageOf, type Clock } from '@avocet/core/store'
import type { ExportSource, ItemExport } from './item-export.ts'

/** Often enough to watch a file grow, seldom enough that its fsync does not count. */
const INTERVAL_MS = 1_000

type Step = (target: ItemExport) => Promise<void> | undefined

/** Exports in rounds, each target in its own: a reader that is slow delays no file. After the first error nothing more is written. */
export class ExportLoop {
  readonly #exports: readonly ItemExport[]
  readonly #clock: Clock
  readonly #failed: (error: AvocetError) => void
  readonly #timers = new Map<ItemExport, Disposable>()
  /** Each settles when the current round of its target has finished; never rejects. */
  readonly #rounds = new Map<ItemExport, Promise<void>>()
  /** Each target knows how far it is written. */
  #begun = false
  #broken = false
  #stopped = false

  /** @param failed is called with the first error, at once: a crawl whose output cannot be written should stop. */
  constructor(exports: readonly ItemExport[], clock: Clock, failed: (error: AvocetError) => void) {
    this.#exports = exports
    this.#clock = clock
    this.#failed = failed
  }

  /** Finds out how far the targets are written, and writes what they lack once a second. Rejects when a target cannot be continued. */
  async start(source: ExportSource): Promise<void> {
    try {
      for (const target of this.#exports) await target.begin(source)
    } catch (error) {
      this.#break(error)
      throw error
    }
    this.#begun = true
    for (const target of this.#exports) this.#go(target)
  }

  /** Ends the rounds and writes what is left; nothing, when it never started. */
  async finish(interrupted: boolean): Promise<void> {
    await this.stop()
    if (!this.#begun) return
    await this.#each((target) => target.catchUp())
    await this.#each((target) => target.finish?.(interrupted))
  }

  /** Waits for no reader any more, also in calls that are waiting. */
  letGo(): void {
    for (const target of this.#exports) target.letGo?.()
  }

  /** Ends the rounds. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const timer of this.#timers.values()) timer[Symbol.dispose]()
    await Promise.all(this.#rounds.values())
  }

  #go(target: ItemExport): void {
    const round = this.#unlessBroken(target, (it) => it.catchUp())
    this.#rounds.set(target, round)
    void round.then(() => {
      if (this.#broken || this.#stopped) return
      this.#timers.set(
        target,
        this.#clock.at(this.#clock.now() + INTERVAL_MS, () => this.#go(target)),
      )
    })
  }

  async #each(step: Step): Promise<void> {
    await Promise.all(this.#exports.map((target) => this.#unlessBroken(target, step)))
  }

  async #unlessBroken(target: ItemExport, step: Step): Promise<void> {
    if (this.#broken) return
    try {
      await step(target)
    } catch (error) {
      this.#break(error)
    }
  }

  #break(error: unknown): void {
    this.#broken = true
    this.#failed(error instanceof AvocetError ? error : new AvocetError('AVO_INTERNAL', messageOf(error), { cause: error }))
  }
}
