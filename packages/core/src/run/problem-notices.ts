// Which problems the user is notified of at once: what is new, or did not come up for an hour; of ordinary ones at most fifty an hour, of outages all.
//
// A flood must not page a person a million times, nor keep the next problem from being reported: so the rate is bounded, and not how many there were.
// Notices are remembered by their text, the one that came up longest ago is forgotten first. What found no room is not remembered:
// it is reported when it comes again and there is room.
import type { Clock } from '../ports/clock.ts'
import type { Problem } from '../ports/session.ts'

/** A problem that did not come up for so long is reported again. */
const HOUR_MS = 3_600_000
const MAX_AN_HOUR = 50
const MAX_REMEMBERED = 1_000
const TOO_MANY = `more than ${MAX_AN_HOUR} different problems within an hour: the others are only counted, see the report`

/** A problem that was reported. */
interface Notice {
  /** As it was reported last. */
  readonly problem: Problem
  /** Epoch ms when it last came up. */
  lastAt: number
}

/** The notices of one run. */
export class ProblemNotices {
  /** By message, the one that came up longest ago first. */
  readonly #notices = new Map<string, Notice>()
  #hourSince = -Infinity
  #thisHour = 0
  #isNotifying = false
  readonly #clock: Pick<Clock, 'now'>
  readonly #notify: (problem: Problem) => void

  constructor(clock: Pick<Clock, 'now'>, notify: (problem: Problem) => void) {
    this.#clock = clock
    this.#notify = notify
  }

  /** Reports an ordinary problem, where it is new and there is room; or, the same way, what is worth knowing. */
  problem(message: string, kind: Pick<Problem, 'isInformation'> = {}): void {
    // What comes up while another is reported is left for the next time.
    if (this.#isNotifying || this.#isKnown(message)) return
    const now = this.#clock.now()
    if (now - this.#hourSince >= HOUR_MS) {
      this.#hourSince = now
      this.#thisHour = 0
    }
    if (this.#thisHour++ < MAX_AN_HOUR) this.#say(message, kind)
    else this.outage(TOO_MANY)
  }

  /** Reports what concerns the whole crawl: there is always room for it. */
  outage(message: string): void {
    if (!this.#isNotifying && !this.#isKnown(message)) this.#say(message)
  }

  /** What was reported, as far as it is remembered; each as it was last. */
  get all(): readonly Problem[] {
    return [...this.#notices.values()].map(({ problem }) => problem)
  }

  /** Whether it was reported and came up within the last hour; it comes up now. */
  #isKnown(message: string): boolean {
    const now = this.#clock.now()
    const notice = this.#notices.get(message)
    if (notice === undefined || now - notice.lastAt >= HOUR_MS) return false
    notice.lastAt = now
    this.#notices.delete(message)
    this.#notices.set(message, notice)
    return true
  }

  #say(message: string, kind: Pick<Problem, 'isInformation'> = {}): void {
    const problem = { message, now: this.#clock.now(), ...kind }
    this.#notices.delete(message)
    this.#notices.set(message, { problem, lastAt: problem.now })
    const oldest = this.#notices.size > MAX_REMEMBERED ? this.#notices.keys().next().value : undefined
    if (oldest !== undefined) this.#notices.delete(oldest)
    this.#isNotifying = true
    try {
      this.#notify(problem)
    } finally {
      this.#isNotifying = false
    }
  }
}
