// Holds the whole crawl: because the user said so, or because this machine itself, or the store, is in trouble.
//
// A fault of ours (no descriptors, no network) must not slow, open or retire a single host: nothing of it reaches a plugin, the requests go
// back uncounted, and the crawl rests for 1 s, doubling to 60 s while it lasts. After a rest a few exchanges feel whether it is over: all that are ready
// would fail together, 100 a minute through a night.
import type { Clock } from '../ports/clock.ts'
import type { PausedBy } from '../ports/report.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 60_000

/** Who is reported, of several: pauses that the user did not make come first. */
const REPORTED = ['store', 'operator', 'user', 'machine'] as const satisfies PausedBy[]

/** Whether the crawl may dispatch, and why not. */
export class Pause {
  readonly #clock: Clock
  readonly #over: () => void
  readonly #changed: () => void
  /** Who holds it, and why. */
  by: PausedBy | undefined
  why: string | undefined
  /** Why each of them holds it. */
  readonly #reasons: { [Who in PausedBy]?: string | undefined } = {}
  /** It rested for a fault, and nothing has worked since: only a few exchanges at once may feel for the end of it. */
  isFeeling = false
  #nextMs = FIRST_MS
  #timer: Disposable | undefined

  /** `over`: more may begin. `changed`: another holds it than before, or nobody does. */
  constructor(clock: Clock, over: () => void, changed: () => void = () => {}) {
    this.#clock = clock
    this.#over = over
    this.#changed = changed
  }

  /** `why` undefined: that one holds it no longer. An operator's order is in the store, and holds in later runs as well. */
  hold(who: PausedBy, why: string | undefined): void {
    this.#set(who, why)
    if (why === undefined) this.#over()
  }

  /** A fault of this machine: rest, longer each time until something works again. While it rests for one fault others change nothing. */
  fault(why: string): void {
    if (this.#reasons.machine !== undefined) return
    this.isFeeling = true
    this.#timer = this.#clock.at(this.#clock.now() + this.#nextMs, () => this.hold('machine', undefined))
    this.#nextMs = Math.min(LONGEST_MS, 2 * this.#nextMs)
    this.hold('machine', why)
  }

  /** Something came back from a host: this machine works. */
  works(): void {
    this.isFeeling = false
    this.#nextMs = FIRST_MS
  }

  /** The fault is over: the rest of its pause is dropped. The caller goes on by itself. */
  lift(): void {
    this.#timer?.[Symbol.dispose]()
    this.isFeeling = false
    this.#set('machine', undefined)
  }

  close(): void {
    this.#timer?.[Symbol.dispose]()
  }

  #set(who: PausedBy, why: string | undefined): void {
    this.#reasons[who] = why
    const by = REPORTED.find((each) => this.#reasons[each] !== undefined)
    this.why = by && this.#reasons[by]
    if (by === this.by) return
    this.by = by
    this.#changed()
  }
}
