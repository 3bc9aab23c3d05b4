// The problems of a run: each kind is counted, and the user is notified at once of what is new, or did not come up for an hour; of ordinary ones at
// most fifty times an hour, of outages always.
//
// A flood must not page a person a million times, nor keep the next problem from being reported: so the rate is bounded, and not how many there were.
// What found no room is reported when it comes again and there is room. The oldest kind is forgotten first, an outage never: there are few texts of them.
import type { Clock } from '../ports/clock.ts'
import type { Problem } from '../ports/trace.ts'

/** A problem that did not come up for so long is reported again. */
const HOUR_MS = 3_600_000
const MAX_AN_HOUR = 50
const MAX_KNOWN = 1_000
/** Beside outages. */
const MAX_LISTED = 50
const TOO_MANY = `more than ${MAX_AN_HOUR} different problems within an hour: the others are only counted, see the report`

/**
 * `problem`: counted and reported. `outage`: the same, and there is always room for it, for it concerns the whole crawl. `notice`: reported, and counted
 * elsewhere. `information`: reported, and nothing is wrong.
 */
type Level = 'problem' | 'outage' | 'notice' | 'information'

/** A kind of them. */
interface Known {
  /** Of the first one. */
  readonly message: string
  count: number
  isOutage: boolean
  /** When it last came up after it was reported, epoch ms. */
  lastAt: number
  /** As it was reported last. Absent: it was not. */
  problem?: Problem
}

/** The problems of one run. */
export class Problems {
  /** By kind, the oldest first. */
  readonly #known = new Map<string, Known>()
  #forgotten = 0
  #hourSince = -Infinity
  #thisHour = 0
  #isNotifying = false
  readonly #clock: Pick<Clock, 'now'>
  readonly #notify: (problem: Problem) => void
  readonly #hide: (message: string) => string

  /** `hide` takes secrets out of a text. */
  constructor(clock: Pick<Clock, 'now'>, notify: (problem: Problem) => void, hide: (message: string) => string) {
    this.#clock = clock
    this.#notify = notify
    this.#hide = hide
  }

  /** One came up. All of one `kind` are reported in the words of the first; default: its text. */
  note(level: Level, said: string, kind: string = this.#hide(said)): void {
    const known = this.#known.get(kind) ?? this.#begin(kind, this.#hide(said))
    if (level === 'problem' || level === 'outage') known.count++
    known.isOutage ||= level === 'outage'
    // What comes up while another is reported is left for the next time.
    if (!this.#isNotifying) this.#report(known, level)
  }

  /** What was reported, as far as it is remembered; each as it was last. */
  get reported(): readonly Problem[] {
    return [...this.#known.values()].flatMap(({ problem }) => problem ?? [])
  }

  /** How often each came that is counted. */
  get counted(): readonly { readonly message: string; readonly count: number }[] {
    const all = [...this.#known.values()].filter(({ count }) => count > 0)
    const ordinary = all.filter(({ isOutage }) => !isOutage).slice(MAX_LISTED)
    const others = ordinary.reduce((sum, { count }) => sum + count, this.#forgotten)
    const listed = all.filter((each) => !ordinary.includes(each)).map(({ message, count }) => ({ message, count }))
    return others === 0 ? listed : [...listed, { message: 'other problems, which are not listed', count: others }]
  }

  #begin(kind: string, message: string): Known {
    const known: Known = { message, count: 0, isOutage: false, lastAt: -Infinity }
    this.#known.set(kind, known)
    if (this.#known.size <= MAX_KNOWN) return known
    for (const [oldest, { isOutage, count }] of this.#known) {
      if (isOutage) continue
      this.#known.delete(oldest)
      this.#forgotten += count
      break
    }
    return known
  }

  #report(known: Known, level: Level): void {
    const now = this.#clock.now()
    const isNews = now - known.lastAt >= HOUR_MS
    if (isNews && level !== 'outage' && !this.#hasRoom(now)) return
    known.lastAt = now
    if (!isNews) return
    known.problem = { kind: 'problem', at: now, message: known.message, ...(level === 'information' && { isInformation: true }) }
    this.#isNotifying = true
    try {
      this.#notify(known.problem)
    } finally {
      this.#isNotifying = false
    }
  }

  #hasRoom(now: number): boolean {
    if (now - this.#hourSince >= HOUR_MS) {
      this.#hourSince = now
      this.#thisHour = 0
    }
    if (this.#thisHour++ < MAX_AN_HOUR) return true
    this.#report(this.#known.get(TOO_MANY) ?? this.#begin(TOO_MANY, TOO_MANY), 'outage')
    return false
  }
}
