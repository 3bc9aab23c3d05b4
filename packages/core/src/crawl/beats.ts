// Has a run say that it lives, from the opening of its store to its very end.
//
// Plugins may take minutes to open, other runs hours to finish, and sinks as long as a stop waits to write what they lack. A process that said nothing
// meanwhile would be taken for dead, and lose the sinks that it runs. While it crawls, a beat also says which hosts it holds; before and after, it holds none,
// and looks for nothing that others did.
import { isPassing } from '../store/store-calls.ts'
import type { Run } from '../run/run.ts'
import { renewed } from '../scheduler/renewed.ts'
import type { Window, WindowRules } from '../scheduler/window.ts'
import type { Clock } from '../ports/clock.ts'
import { messageOf } from '../values/errors.ts'
import type { Frontier } from '../ports/frontier.ts'

/** What beats once the engine is made. */
interface Beating {
  readonly window: Pick<Window, 'renew'>
  readonly hears: WindowRules['hears']
  readonly orders: { hear(): Promise<void> }
}

/** Begins. `engine`: while it crawls. */
export function beats(run: Run, engine: () => Beating | undefined): Disposable {
  const { settings, tally } = run
  const { frontier } = settings
  const problem = tally.outage
  let isHearing = false
  let isBeating = false
  const beat = (): void => {
    if (isBeating) return
    isBeating = true
    void renewed([], run)
      // A store that is away is waited for by the calls that need it.
      .catch((error: unknown) => isPassing(error) || run.fail(error))
      .finally(() => (isBeating = false))
  }
  const heartbeat = new Heartbeat(settings.frontier, settings.clock, {
    looks: () => engine() !== undefined,
    renew: () => (engine()?.window ?? { renew: beat }).renew(),
    hear() {
      if (isHearing || frontier.sharing === undefined) return
      isHearing = true
      void frontier.sharing
        .news()
        .then((memories) => engine()?.hears(memories))
        .then(() => engine()?.orders.hear())
        .catch((error: unknown) => (isPassing(error) ? heartbeat.hearAgain() : run.fail(error)))
        .finally(() => (isHearing = false))
    },
    problem,
  })
  return heartbeat
}

/** How often to look for commits of other processes: a link that they found waits no longer. */
const LOOK_MS = 250
/** How often to say that this process lives, with or without others. */
const BEAT_MS = 10_000
/** The same, where the store is on another machine, at the longest. */
const FAR_BEAT_MS = 5_000
/** Of the time for which hosts are still held: two beats may fail. */
const FAR_BEAT_SHARE = 1 / 3
/** How often to ask a store on another machine for what other processes wrote: an order is to be carried out within a second. */
const FAR_NEWS_MS = 500
/** After a beat that failed. */
const AGAIN_MS = 1_000

/** What a heartbeat does, and who hears when it cannot. */
interface HeartbeatActions {
  /** Whether what others did matters at this moment: it is looked for between two beats. */
  looks(): boolean
  renew(): void
  /** Hears what other processes wrote. */
  hear(): void
  problem(message: string): void
}

/**
 * A timer that keeps a shared store informed that this process lives, and this process of what others added to its hosts; none where the
 * frontier is not shared. It never stops: without it others would take the hosts of a process that lives.
 */
class Heartbeat implements Disposable {
  readonly #frontier: Frontier
  readonly #clock: Clock
  readonly #actions: HeartbeatActions
  #timer: Disposable | undefined
  #nextBeatAt: number
  #nextNewsAt = 0
  #hasHeard = false

  constructor(frontier: Frontier, clock: Clock, actions: HeartbeatActions) {
    this.#frontier = frontier
    this.#clock = clock
    this.#actions = actions
    // The opening may have taken as long as hosts are held.
    this.#nextBeatAt = frontier.sharing?.tenure === undefined ? clock.now() + BEAT_MS : clock.now()
    if (frontier.sharing) this.#arm()
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }

  /** What could not be heard is asked for at the next look. */
  hearAgain(): void {
    this.#hasHeard = false
  }

  #arm(): void {
    this.#timer = this.#clock.at(this.#clock.now() + LOOK_MS, () => {
      this.#look(this.#clock.now())
      this.#arm()
    })
  }

  #look(now: number): void {
    const isLooking = this.#actions.looks()
    const isNews = isLooking && this.#hasChanged()
    // The first look has nothing to compare with: what was committed since the store was opened is heard all the same.
    const isDue = !this.#hasHeard || (this.#frontier.sharing?.tenure !== undefined && now >= this.#nextNewsAt)
    if (isNews || (isLooking && isDue)) {
      this.#hasHeard = true
      this.#nextNewsAt = now + FAR_NEWS_MS
      this.#actions.hear()
    }
    if (!isNews && now < this.#nextBeatAt) return
    try {
      this.#nextBeatAt = now + this.#beatMs(now)
      this.#actions.renew()
    } catch (error) {
      this.#nextBeatAt = now + AGAIN_MS
      this.#failed(error)
    }
  }

  #beatMs(now: number): number {
    const tenure = this.#frontier.sharing?.tenure
    if (tenure === undefined) return BEAT_MS
    return Math.max(LOOK_MS, Math.min(FAR_BEAT_MS, FAR_BEAT_SHARE * (tenure.heldUntil() - now)))
  }

  /** A store that cannot even say so is the renewal's to wait for. */
  #hasChanged(): boolean {
    try {
      return this.#frontier.sharing?.changedElsewhere() === true
    } catch (error) {
      this.#failed(error)
      return true
    }
  }

  #failed(error: unknown): void {
    this.#actions.problem(`the heartbeat failed: ${messageOf(error)}`)
  }
}
