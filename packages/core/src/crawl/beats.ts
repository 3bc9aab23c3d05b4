// Has a run say that it lives, from the opening of its store to its very end.
//
// Plugins may take minutes to open, other runs hours to finish, and sinks as long as a stop waits to write what they lack. A process that said nothing
// meanwhile would be taken for dead, and lose the sinks that it runs. While it crawls, a beat also says which hosts it holds; before and after, it holds none,
// and looks for nothing that others did.
import { isPassing } from '../run/store-calls.ts'
import type { Run } from '../run/run.ts'
import { renewed } from '../scheduler/renewed.ts'
import type { Window, WindowRules } from '../scheduler/window.ts'
import { messageOf } from '../values/errors.ts'
import type { Frontier } from '../ports/frontier.ts'

/** What beats while it crawls. */
interface Beating {
  readonly window: Pick<Window, 'renew'>
  readonly hears: WindowRules['hears']
  readonly orders: { hear(): Promise<void> }
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

/** Begins; where the frontier is not shared, nothing. `engine`: while it crawls. */
export function beats(run: Run, engine: () => Beating | undefined): Disposable | undefined {
  const { sharing } = run.settings.frontier
  return sharing && new Heartbeat(run, sharing, engine)
}

/**
 * A timer that keeps a shared store informed that this process lives, and this process of what others added to its hosts. It never stops: without it others
 * would take the hosts of a process that lives.
 */
class Heartbeat implements Disposable {
  readonly #run: Run
  readonly #sharing: NonNullable<Frontier['sharing']>
  readonly #engine: () => Beating | undefined
  #timer: Disposable | undefined
  #nextBeatAt: number
  /** What was committed since the store was opened is heard at the first look, for that has nothing to compare with. */
  #nextNewsAt = 0
  #isBeating = false
  #isHearing = false

  constructor(run: Run, sharing: NonNullable<Frontier['sharing']>, engine: () => Beating | undefined) {
    this.#run = run
    this.#sharing = sharing
    this.#engine = engine
    // The opening may have taken as long as hosts are held.
    this.#nextBeatAt = run.settings.clock.now() + (sharing.tenure === undefined ? BEAT_MS : 0)
    this.#arm()
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }

  #arm(): void {
    const { clock } = this.#run.settings
    this.#timer = clock.at(clock.now() + LOOK_MS, () => {
      this.#look(clock.now())
      this.#arm()
    })
  }

  #look(now: number): void {
    const engine = this.#engine()
    const isNews = engine !== undefined && this.#hasChanged()
    if (engine !== undefined && (isNews || now >= this.#nextNewsAt)) {
      this.#nextNewsAt = this.#sharing.tenure === undefined ? Infinity : now + FAR_NEWS_MS
      this.#hear()
    }
    if (!isNews && now < this.#nextBeatAt) return
    try {
      this.#nextBeatAt = now + this.#beatMs(now)
      if (engine === undefined) this.#beat()
      else engine.window.renew()
    } catch (error) {
      this.#nextBeatAt = now + AGAIN_MS
      this.#failed(error)
    }
  }

  /** Holding no host. */
  #beat(): void {
    if (this.#isBeating) return
    this.#isBeating = true
    void renewed([], this.#run)
      // A store that is away is waited for by the calls that need it.
      .catch((error: unknown) => isPassing(error) || this.#run.fail(error))
      .finally(() => (this.#isBeating = false))
  }

  #hear(): void {
    if (this.#isHearing) return
    this.#isHearing = true
    void this.#sharing
      .news()
      .then((memories) => this.#engine()?.hears(memories))
      .then(() => this.#engine()?.orders.hear())
      // What could not be heard is asked for at the next look.
      .catch((error: unknown) => (isPassing(error) ? (this.#nextNewsAt = 0) : this.#run.fail(error)))
      .finally(() => (this.#isHearing = false))
  }

  #beatMs(now: number): number {
    const { tenure } = this.#sharing
    if (tenure === undefined) return BEAT_MS
    return Math.max(LOOK_MS, Math.min(FAR_BEAT_MS, FAR_BEAT_SHARE * (tenure.heldUntil() - now)))
  }

  /** A store that cannot even say so is the renewal's to wait for. */
  #hasChanged(): boolean {
    try {
      return this.#sharing.changedElsewhere()
    } catch (error) {
      this.#failed(error)
      return true
    }
  }

  #failed(error: unknown): void {
    this.#run.tally.outage(`the heartbeat failed: ${messageOf(error)}`)
  }
}
