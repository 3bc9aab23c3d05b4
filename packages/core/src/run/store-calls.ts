// Calls to the frontier, with patience: what a full disk, a lock or an I/O error turns away is kept and tried again until it works.
//
// From the first such fault on the crawl begins nothing new, so that what waits here is what was in progress. Calls wait in one queue and are
// made one after the other, in the order in which they were first made: an older memory must not overwrite a newer one. The first of them is
// tried after 1 s, doubling to 60 s; the fault is over when all of them have been made. A call that failed may have been written all the same, where the
// answer of a server was lost: it is repeated with the same arguments, which the port requires to be harmless. Faults that cannot pass (a damaged store,
// another version, a closed one) are thrown at once, and so is everything after `giveUp`. From then on a server that left a call without an answer is not
// asked again.
import type { Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { AvocetError, type FatalCode } from '../values/errors.ts'
import type { Pause } from './pause.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 60_000
/** A server that is back should know it well before the hosts of this process are given to others. */
const LONGEST_AWAY_MS = 5_000

/** A server that leaves a call without an answer for so long, in ms, is silent: the next call would wait as long. */
const SILENT_SERVER_MS = 5_000

const MAY_PASS: ReadonlySet<string> = new Set<FatalCode>([
  'AVO_FRONTIER_FULL',
  'AVO_FRONTIER_BUSY',
  'AVO_FRONTIER_IO',
  'AVO_FRONTIER_AWAY',
])

/** When a call was first made. */
interface FirstMade {
  /** Of all calls. */
  readonly order: number
  /** Epoch ms. */
  readonly at: number
}

/** Something that takes no time of its own, but may wait for the store. */
interface Held {
  readonly name: string
  /** Absent while the store is waited for. */
  hold: Disposable | undefined
}

/** A call that waits for the store. */
interface Waiting {
  readonly order: number
  /** Makes the call and hands its answer on; throws what it throws. */
  attempt(): Promise<void>
  reject(error: unknown): void
}

/** Makes the calls. */
export class StoreCalls {
  readonly #clock: Clock
  readonly #pause: Pause
  readonly #patienceMs: number
  readonly #problem: (message: string) => void
  readonly #queue: Waiting[] = []
  #made = 0
  /** The store is waited for. */
  #isWaiting = false
  readonly #held = new Set<Held>()
  /** Epoch ms from which on nothing is waited for. */
  #until = Infinity
  /** Why the last call failed, if the server was silent. */
  #silence: AvocetError | undefined
  /** Ends the present rest. */
  #wake: (() => void) | undefined

  /** `patienceMs`: how long to wait for the store in one go; Infinity = until `giveUp`. */
  constructor(parts: { clock: Clock; pause: Pause; patienceMs: number; problem: (message: string) => void }) {
    this.#clock = parts.clock
    this.#pause = parts.pause
    this.#patienceMs = parts.patienceMs
    this.#problem = parts.problem
  }

  /** Like `Clock.hold`, for what may wait for the store itself: virtual time goes on meanwhile. */
  hold(name: string): Disposable {
    const held: Held = { name, hold: this.#isWaiting ? undefined : this.#clock.hold(name) }
    this.#held.add(held)
    return {
      [Symbol.dispose]: () => {
        held.hold?.[Symbol.dispose]()
        this.#held.delete(held)
      },
    }
  }

  /** Makes a call, in this tick unless others wait, again and again while it fails for something that may pass. */
  async make<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer> {
    const first = { order: this.#made++, at: this.#clock.now() }
    // Each of the calls at the end of a crawl would wait for a server that is silent: the patience would be over again and again.
    if (this.#silence !== undefined && first.at >= this.#until) throw this.#silence
    if (this.#isWaiting) return this.#wait(name, call, first)
    try {
      return await this.#once(name, call)
    } catch (error) {
      if (!this.#mayPass(error)) throw error
      const answer = this.#wait(name, call, first)
      if (!this.#isWaiting) void this.#seeThrough(error, first.at)
      return answer
    }
  }

  /** Everything that waits is tried once more; what fails from `at` (epoch ms, default: now) on has failed for good. */
  giveUp(at: number = this.#clock.now()): void {
    this.#until = Math.min(this.#until, at)
    this.#wake?.()
  }

  /** Calls that were in progress together fail in any order. */
  #wait<Answer>(name: string, call: () => Promise<Answer>, { order }: FirstMade): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const before = this.#queue.findLastIndex((each) => each.order < order)
    this.#queue.splice(before + 1, 0, { order, attempt: async () => resolve(await this.#once(name, call)), reject })
    return promise
  }

  /** Virtual time stands still during the call itself, not while a full disk is waited for. */
  async #once<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer> {
    using _hold = this.#clock.hold(name)
    const madeAt = this.#clock.now()
    try {
      const answer = await call()
      this.#silence = undefined
      return answer
    } catch (error) {
      this.#silence = isAway(error) && this.#clock.now() - madeAt >= SILENT_SERVER_MS ? error : undefined
      throw error
    }
  }

  /** Rests and tries, until nobody waits any more. `since`: when the call was made that failed first; it may have waited for a lock itself. */
  async #seeThrough(first: AvocetError, since: number): Promise<void> {
    const again = this.#patienceMs === Infinity ? 'until it can' : `for ${formatDuration(this.#patienceMs)}`
    let error: AvocetError | undefined = first
    this.#begin()
    this.#problem(`the store was temporarily unusable (${first.code}); the crawl waited for it`)
    for (let restMs = FIRST_MS; error !== undefined; restMs = longer(restMs, error)) {
      this.#pause.hold('store', `the store cannot be used (${error.code}): ${error.message}; it is tried again ${again}`)
      const leftMs = Math.min(since + this.#patienceMs, this.#until) - this.#clock.now()
      if (leftMs <= 0) return this.#fail(error)
      await this.#rest(Math.min(restMs, leftMs))
      // An answer may bring the next call before anybody hears that all were made.
      do {
        error = await this.#makeAll()
      } while (error === undefined && this.#queue.length > 0)
    }
    this.#end()
    this.#pause.hold('store', undefined)
  }

  #begin(): void {
    this.#isWaiting = true
    for (const held of this.#held) {
      held.hold?.[Symbol.dispose]()
      held.hold = undefined
    }
  }

  #end(): void {
    this.#isWaiting = false
    for (const held of this.#held) held.hold ??= this.#clock.hold(held.name)
  }

  /** Makes the calls that wait, in their order, until one fails for something that may pass. */
  async #makeAll(): Promise<AvocetError | undefined> {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      try {
        await next.attempt()
      } catch (error) {
        if (isPassing(error)) return error
        next.reject(error)
      }
      this.#queue.splice(this.#queue.indexOf(next), 1)
    }
    return undefined
  }

  /** The patience is over. The crawl stays paused: it ends with this error. */
  #fail(error: AvocetError): void {
    this.#until = -Infinity
    this.#end()
    for (const each of this.#queue.splice(0)) each.reject(error)
  }

  #mayPass(error: unknown): error is AvocetError {
    return this.#clock.now() < this.#until && isPassing(error)
  }

  async #rest(ms: number): Promise<void> {
    await new Promise<void>((resume) => {
      const timer = this.#clock.at(this.#clock.now() + ms, resume)
      this.#wake = () => {
        timer[Symbol.dispose]()
        resume()
      }
    })
    this.#wake = undefined
  }
}

function longer(restMs: number, error: AvocetError | undefined): number {
  return Math.min(isAway(error) ? LONGEST_AWAY_MS : LONGEST_MS, 2 * restMs)
}

function isAway(error: unknown): error is AvocetError {
  return error instanceof AvocetError && error.code === 'AVO_FRONTIER_AWAY'
}

/** Whether another process holds the store, for a moment. */
export function isLocked(error: unknown): boolean {
  return error instanceof AvocetError && error.code === 'AVO_FRONTIER_BUSY'
}

/** Whether the store may work again by itself: a full disk, a lock, an I/O error, a server that is away. */
export function isPassing(error: unknown): error is AvocetError {
  return error instanceof AvocetError && MAY_PASS.has(error.code)
}
