// Which problems are told at once: what is new, or was not heard of for an hour; of ordinary ones at most fifty an hour, of outages all.
//
// A flood must not page a person a million times, nor keep the next problem from being told: so the rate is bounded, and not how many there were.
// What was told is remembered by its text, the one heard of longest ago forgotten first. What was not told for want of room is not remembered:
// it is told when it comes again and there is room.
import type { Clock } from '../clock.ts'
import type { Problem } from '../plugin.ts'

/** A problem that was not heard of for so long is told again. */
const HOUR_MS = 3_600_000
const MAX_TOLD_AN_HOUR = 50
const MAX_REMEMBERED = 1_000
const TOO_MANY = `more than ${MAX_TOLD_AN_HOUR} different problems within an hour: the others are only counted, see the report`

/** A problem that was told. */
interface Told {
  /** As it was told last. */
  readonly problem: Problem
  /** Epoch ms when it was last heard of. */
  lastAt: number
}

/** Tells the problems of one run. */
export class Telling {
  /** By message, the one heard of longest ago first. */
  readonly #told = new Map<string, Told>()
  #hourSince = -Infinity
  #toldThisHour = 0
  #isTelling = false
  readonly #clock: Pick<Clock, 'now'>
  readonly #tell: (problem: Problem) => void

  constructor(clock: Pick<Clock, 'now'>, tell: (problem: Problem) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** Tells an ordinary problem, where it is new and there is room. */
  problem(message: string): void {
    // What comes up while another is told is left for the next time.
    if (this.#isTelling || this.#isKnown(message)) return
    const now = this.#clock.now()
    if (now - this.#hourSince >= HOUR_MS) {
      this.#hourSince = now
      this.#toldThisHour = 0
    }
    if (this.#toldThisHour++ < MAX_TOLD_AN_HOUR) this.#say(message)
    else this.outage(TOO_MANY)
  }

  /** Tells what concerns the whole crawl: there is always room for it. */
  outage(message: string): void {
    if (!this.#isTelling && !this.#isKnown(message)) this.#say(message)
  }

  /** What was told, as far as it is remembered; each as it was told last. */
  get told(): readonly Problem[] {
    return [...this.#told.values()].map(({ problem }) => problem)
  }

  /** Whether it was told and heard of within the last hour; it is heard of now. */
  #isKnown(message: string): boolean {
    const now = this.#clock.now()
    const told = this.#told.get(message)
    if (told === undefined || now - told.lastAt >= HOUR_MS) return false
    told.lastAt = now
    this.#told.delete(message)
    this.#told.set(message, told)
    return true
  }

  #say(message: string): void {
    const problem = { message, now: this.#clock.now() }
    this.#told.delete(message)
    this.#told.set(message, { problem, lastAt: problem.now })
    const oldest = this.#told.size > MAX_REMEMBERED ? this.#told.keys().next().value : undefined
    if (oldest !== undefined) this.#told.delete(oldest)
    this.#isTelling = true
    try {
      this.#tell(problem)
    } finally {
      this.#isTelling = false
    }
  }
}
