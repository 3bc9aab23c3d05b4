// Holds the whole crawl: because the user said so, or because this machine itself, or the store, is in trouble.
//
// A fault of ours (no descriptors, no network) must not slow, open or retire a single host: nothing of it reaches a plugin, the requests go
// back uncounted, and the crawl rests for 1 s, doubling to 60 s while it lasts. After a rest a few exchanges feel whether it is over: all that are ready
// would fail together, 100 a minute through a night.
import type { Clock } from '../ports/clock.ts'
import type { PausedBy } from '../ports/report.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 60_000

/** Whether the crawl may dispatch, and why not. */
export class Pause {
  readonly #clock: Clock
  readonly #over: () => void
  readonly #changed: () => void
  /** Who held it when that was last told. */
  #told: PausedBy | undefined
  #byUser: string | undefined
  #byOperator: string | undefined
  #byStore: string | undefined
  #byFault: string | undefined
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

  /** Pauses that the user did not make are reported first. */
  get why(): string | undefined {
    return this.#byStore ?? this.#byOperator ?? this.#byUser ?? this.#byFault
  }

  /** Who holds it. */
  get by(): PausedBy | undefined {
    if (this.#byStore !== undefined) return 'store'
    if (this.#byOperator !== undefined) return 'operator'
    if (this.#byUser !== undefined) return 'user'
    return this.#byFault === undefined ? undefined : 'machine'
  }

  byUser(why: string | undefined): void {
    this.#byUser = why
    this.#tell()
    if (why === undefined) this.#over()
  }

  /** An order in the store: it holds in later runs as well. */
  byOperator(isPaused: boolean): void {
    this.#byOperator = isPaused ? 'by an operator' : undefined
    this.#tell()
    if (!isPaused) this.#over()
  }

  /** The store cannot be used; undefined: it can again. */
  byStore(why: string | undefined): void {
    this.#byStore = why
    this.#tell()
    if (why === undefined) this.#over()
  }

  /** A fault of this machine: rest, longer each time until something works again. While it rests for one fault others change nothing. */
  fault(why: string): void {
    if (this.#byFault !== undefined) return
    this.#byFault = why
    this.isFeeling = true
    this.#timer = this.#clock.at(this.#clock.now() + this.#nextMs, () => {
      this.#byFault = undefined
      this.#tell()
      this.#over()
    })
    this.#nextMs = Math.min(LONGEST_MS, 2 * this.#nextMs)
    this.#tell()
  }

  /** Something came back from a host: this machine works. */
  works(): void {
    this.isFeeling = false
    this.#nextMs = FIRST_MS
  }

  /** The fault is over: the rest of its pause is dropped. The caller goes on by itself. */
  lift(): void {
    this.#timer?.[Symbol.dispose]()
    this.#byFault = undefined
    this.isFeeling = false
    this.#tell()
  }

  close(): void {
    this.#timer?.[Symbol.dispose]()
  }

  #tell(): void {
    if (this.by === this.#told) return
    this.#told = this.by
    this.#changed()
  }
}
