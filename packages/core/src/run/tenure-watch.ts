// Whether the hosts of this process are still its own, where the store is on another machine.
//
// A process that cannot reach its store, or that was stopped for a while, may have been buried by the others, who have its hosts then. It cannot know that;
// it knows until when nobody can have done so (`Tenure.heldUntil`). From that moment on nothing is sent: this is asked before a slot is given, and again in
// the tick in which a request is written, for a process that was stopped hears of its sockets before its timers. The timer aborts what is in flight,
// and drops all hosts. A process that signs in anew begins another term, in which it has nothing of what it leased before, even if no timer had the time
// to say so.
import type { Clock } from '../ports/clock.ts'
import type { Frontier } from '../ports/frontier.ts'

/** How often to look whether the store has been reached again. */
const LOOK_MS = 250

/** What the watch goes by. */
interface TenureParts {
  readonly frontier: Pick<Frontier, 'sharing'>
  readonly clock: Clock
}

/** Watches over the tenure of a process; where there is none, it always holds. */
export class TenureWatch implements Disposable {
  readonly #parts: TenureParts
  #term: number | undefined
  #lapsed: () => void = () => {}
  #timer: Disposable | undefined
  #isLapsed = false

  constructor(parts: TenureParts) {
    this.#parts = parts
  }

  /** Whether what was leased may be requested, at this moment. When it may not any more, all hosts are dropped before this returns. */
  get holds(): boolean {
    const { frontier, clock } = this.#parts
    const tenure = frontier.sharing?.tenure
    if (tenure === undefined) return true
    const isSame = this.#term === (this.#term = tenure.term())
    const isOver = clock.now() >= tenure.heldUntil()
    if (!isSame || isOver) this.#lapse()
    this.#isLapsed = isOver
    return !isOver
  }

  /** Whether what is asked for at this moment, and comes later, is still this process's own when it is there. */
  since(): () => boolean {
    const tenure = this.#parts.frontier.sharing?.tenure
    const term = tenure?.term()
    return () => this.holds && tenure?.term() === term
  }

  /** Begins to watch; `lapsed` drops all hosts. The store is open. */
  begin(lapsed: () => void): void {
    const tenure = this.#parts.frontier.sharing?.tenure
    if (tenure === undefined) return
    this.#term = tenure.term()
    this.#lapsed = lapsed
    this.#arm()
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#lapsed = () => {}
  }

  #arm(): void {
    const { clock, frontier } = this.#parts
    const at = this.#isLapsed ? clock.now() + LOOK_MS : (frontier.sharing?.tenure?.heldUntil() ?? Infinity)
    this.#timer = clock.at(at, () => {
      // What signs this process in anew is a call to the store, and the crawl goes on with its answer.
      void this.holds
      this.#arm()
    })
  }

  /** Told once in a row: dropping hosts asks whether they are held. */
  #lapse(): void {
    if (this.#isLapsed) return
    this.#isLapsed = true
    this.#lapsed()
  }
}
