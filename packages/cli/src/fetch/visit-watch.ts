// Looks every now and then what the crawl of one page waits for, says so, and ends it when waiting is a crawl's business and no person's.
import type { Clock, Crawl, Hold } from '@avocet/core'
import { lacksDocument, type VisitLog } from './visit-log.ts'

const LOOK_EVERY_MS = 100
/** Shorter waits need no word. */
const WORTH_A_WORD_MS = 1_500

/** What it goes by. */
export interface WatchSettings {
  readonly clock: Clock
  /** How long a page is waited for. */
  readonly patienceMs: number
  /** Told what is waited for. */
  readonly waits: (hold: Hold, now: number) => void
}

/** Looks until it is stopped. */
export class VisitWatch {
  /** What holds the host, as it was seen last; a pause of the whole crawl (no network). */
  hold: Hold | undefined
  pausedFor: string | undefined
  #timer: Disposable | undefined
  #said = 0
  readonly #run: Crawl
  readonly #log: VisitLog
  readonly #settings: WatchSettings

  constructor(run: Crawl, log: VisitLog, settings: WatchSettings) {
    this.#run = run
    this.#log = log
    this.#settings = settings
    this.#again()
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]()
  }

  #again(): void {
    const { clock } = this.#settings
    this.#timer = clock.at(clock.now() + LOOK_EVERY_MS, () => {
      this.#look()
      this.#again()
    })
  }

  #look(): void {
    const { hosts, pausedFor, now } = this.#run.status()
    this.pausedFor = pausedFor
    this.hold = hosts.find(({ hold }) => hold !== undefined && Number.isFinite(hold.until) && hold.until > now)?.hold
    if (pausedFor !== undefined) return this.#run.abort()
    if (this.hold === undefined) return
    const restMs = this.hold.until - now
    const lastHop = this.#log.hops.at(-1)
    if (lastHop && lacksDocument(lastHop) && restMs > WORTH_A_WORD_MS) return this.#run.stop()
    if (restMs < WORTH_A_WORD_MS || restMs > this.#settings.patienceMs || this.hold.until <= this.#said + WORTH_A_WORD_MS) return
    this.#said = this.hold.until
    this.#settings.waits(this.hold, now)
  }
}
