// Keeps a shared store informed that this process lives, and this process informed of what others added to the hosts that it holds.
import type { Clock } from '../clock.ts'
import type { Frontier } from '../frontier.ts'

/** How often to look for commits of other processes: a link that they found waits no longer. */
const LOOK_MS = 250
/** How often to say that we live, whatever others do. */
const BEAT_MS = 10_000

/** A timer that renews; none where the frontier is not shared. */
export class Heartbeat implements Disposable {
  readonly #frontier: Frontier
  readonly #clock: Clock
  readonly #renew: () => void
  #timer: Disposable | undefined
  #lastBeatAt: number

  constructor(frontier: Frontier, clock: Clock, renew: () => void) {
    this.#frontier = frontier
    this.#clock = clock
    this.#renew = renew
    this.#lastBeatAt = clock.now()
    if (frontier.changedElsewhere) this.#arm()
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }

  /** A store that cannot even say so is the renewal's to wait for. */
  #hasChanged(): boolean {
    try {
      return this.#frontier.changedElsewhere?.() === true
    } catch {
      return true
    }
  }

  #arm(): void {
    this.#timer = this.#clock.at(this.#clock.now() + LOOK_MS, () => {
      const now = this.#clock.now()
      if (this.#hasChanged() || now - this.#lastBeatAt >= BEAT_MS) {
        this.#lastBeatAt = now
        this.#renew()
      }
      this.#arm()
    })
  }
}
