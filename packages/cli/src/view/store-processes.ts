// How many processes crawl in the store, as the view says it: the numbers that it shows are of this command alone.
//
// The store is asked beside the crawl, without the crawl's patience, one question at a time and twice a minute at most: for a store on a server each is a
// round trip. Where it does not answer nothing is said.
import type { FrontierReader } from '@avocet/core/store'

/** As long as a process of another machine that died counts as one that crawls. */
const ASKED_EVERY_MS = 30_000

/** The count of one store. */
export class StoreProcesses {
  readonly #reader: Pick<FrontierReader, 'info'>
  #askedAt = -Infinity
  #isAsking = false
  #count: number | undefined

  constructor(reader: Pick<FrontierReader, 'info'>) {
    this.#reader = reader
  }

  /** The last answer; undefined before the first. Asks anew where that is too old. `now`: epoch ms. */
  countAt(now: number): number | undefined {
    if (!this.#isAsking && now - this.#askedAt >= ASKED_EVERY_MS) void this.#ask(now)
    return this.#count
  }

  async #ask(now: number): Promise<void> {
    this.#isAsking = true
    this.#askedAt = now
    try {
      const { liveProcesses } = await this.#reader.info()
      this.#count = liveProcesses
    } catch {
      this.#count = undefined
    }
    this.#isAsking = false
  }
}
