// Totals of a store that other processes crawl, read once a second. What cannot be read is looked at again: the processes say what is wrong with their store.
import { Orders } from '@avocet/at-rest'
import type { Clock, FrontierReader } from '@avocet/core/store'
import { storeKind } from '@avocet/project/store'
import type { WholeTotals } from '../processes/whole-crawl.ts'
import { hostIndexOf, type HostIndex } from '../store/host-index.ts'

const LOOK_MS = 1_000

/** Looks until it is disposed. */
export class TotalsWatch implements AsyncDisposable {
  readonly #path: string
  readonly #isOpen: () => boolean
  readonly #clock: Clock
  #reader: FrontierReader | undefined
  #index: HostIndex | undefined
  #timer: Disposable | undefined
  #looking: Promise<void> = Promise.resolve()
  #isOver = false
  #last: (WholeTotals & { readonly isPaused: boolean }) | undefined

  /** `isOpen`: whether the store is there. */
  constructor(path: string, isOpen: () => boolean, clock: Clock) {
    this.#path = path
    this.#isOpen = isOpen
    this.#clock = clock
    this.#next()
  }

  /** As they were read last; undefined before that. */
  get last(): (WholeTotals & { readonly isPaused: boolean }) | undefined {
    return this.#last
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.#timer?.[Symbol.dispose]()
    await this.#looking
    await this.#reader?.close().catch(() => undefined)
  }

  #next(): void {
    if (this.#isOver) return
    this.#timer = this.#clock.at(this.#clock.now() + LOOK_MS, () => {
      this.#looking = this.#look()
        .catch(() => undefined)
        .finally(() => this.#next())
    })
  }

  async #look(): Promise<void> {
    if (!this.#isOpen()) return
    this.#reader ??= await storeKind(this.#path).reader(this.#path)
    this.#index ??= hostIndexOf(this.#reader, this.#clock)
    const [counts, failures] = [await this.#reader.counts(), await this.#reader.failures()]
    await this.#index.read()
    const { liveProcesses } = await this.#reader.info()
    const { isPaused } = await Orders.of(this.#reader)
    this.#last = { counts, failures, liveProcesses, isPaused, judged: this.#index.judged }
  }
}
