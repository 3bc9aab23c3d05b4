// Ends a soak that would never end: one that asks without measure, or in which virtual time stands still while something goes round in circles.
import type { Clock } from '@avocet/core/store'

const LOOK_MS = 10_000
/** Real time for one virtual second, at most. */
const STILL_MS = 60_000

/** Watches in real time. */
export class Runaway implements Disposable {
  /** Rejects when it sees one. */
  readonly seen: Promise<never>
  readonly #timer: NodeJS.Timeout

  constructor(clock: Clock, asked: () => number, most: number) {
    const { promise, reject } = Promise.withResolvers<never>()
    this.seen = promise
    // Nobody may be listening any more.
    promise.catch(() => {})
    let seen = { at: clock.now(), real: performance.now() }
    this.#timer = setInterval(() => {
      if (asked() > most) reject(new Error(`it runs away: ${String(asked())} requests, at most ${String(most)} were expected`))
      if (clock.now() > seen.at + 1_000) seen = { at: clock.now(), real: performance.now() }
      if (performance.now() > seen.real + STILL_MS)
        reject(new Error('virtual time stands still while something goes round in circles'))
    }, LOOK_MS)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
