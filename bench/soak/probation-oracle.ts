// Holds the crawl to its word on pages that are missing: what was missing in three visits in a row, spread over a day, is asked for once a day at most.
//
// It counts what the crawl was told, not what was: a page that is taken out while its host is down is on probation from the first 404 on. Visits that
// were not made, or that met other trouble, say nothing. An answer whose process died before it was written was never heard.
import { afterTroubles } from './after-troubles.ts'
import { momentOf, type Findings } from './findings.ts'
import type { PageLife } from './page-life.ts'
import type { Span } from './trouble.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Gone for good is what was missing in three visits in a row over a day; "gone" (410) counts twice. */
const GONE_AFTER_VISITS = 3
const GONE_AFTER_MS = 24 * HOUR_MS
const WEIGHTS: Readonly<Record<number, number>> = { 301: 1, 308: 1, 404: 1, 410: 2 }
/** From then on it is visited so rarely at least. */
const GONE_EVERY_MS = 24 * HOUR_MS
/** While nobody looked nobody knows: of a pause between two visits half a day counts. */
const MOST_UNSEEN_MS = 12 * HOUR_MS
/** Visits of a round lie a few seconds more or less than a round apart. */
const JITTER_MS = MINUTE_MS
/** What was answered is written within this. */
const COMMITTED_MS = MINUTE_MS
/** A machine that wakes knows within this how late it is. */
const ADOPTED_MS = 2 * MINUTE_MS

/** A visit that found a page missing. */
interface Absence {
  readonly atMs: number
  readonly weight: number
}

/** Keeps what the crawl was told of pages that are missing. */
export class ProbationOracle {
  readonly #findings: Findings
  readonly #suspends: readonly Span[]
  /** Of each page since it was last there. */
  readonly #absences = new Map<PageLife, Absence[]>()

  constructor(findings: Findings, suspends: readonly Span[]) {
    this.#findings = findings
    this.#suspends = suspends
  }

  asked(page: PageLife, nowMs: number): void {
    const absences = this.#absences.get(page) ?? []
    const [first, last] = [absences[0], absences.at(-1)]
    const goneMs = this.#goneMs(page)
    if (first === undefined || last === undefined || goneMs === undefined) return
    if (nowMs - last.atMs >= GONE_EVERY_MS - JITTER_MS || hasClock(page, { fromMs: last.atMs, untilMs: nowMs })) return
    const about = afterTroubles(page.troubles, { fromMs: first.atMs, untilMs: nowMs })
    const times = `missing since ${momentOf(first.atMs)}, gone by ${momentOf(goneMs)}, asked for ${momentOf(nowMs)}`
    this.#findings.add('asked for what is gone', about, `${page.url}: ${times}`)
  }

  answered(page: PageLife, status: number, nowMs: number): void {
    const weight = WEIGHTS[status]
    if (weight === undefined) {
      if (status === 200 || status === 304) this.#absences.delete(page)
      return
    }
    const absences = this.#absences.get(page) ?? []
    absences.push({ atMs: nowMs, weight })
    this.#absences.set(page, absences)
  }

  /** A process died or lost its hosts: what was answered since `sinceMs` (or a minute ago) may not be written. */
  disturbed(nowMs: number, sinceMs: number = nowMs): void {
    const writtenMs = Math.min(nowMs, sinceMs) - COMMITTED_MS
    for (const [page, absences] of this.#absences)
      this.#absences.set(
        page,
        absences.filter(({ atMs }) => atMs < writtenMs),
      )
  }

  /** The visit with which this page's probation ended at the latest; undefined: it has not. */
  #goneMs(page: PageLife): number | undefined {
    const absences = this.#absences.get(page) ?? []
    const clocks = page.troubles.filter(({ kind }) => kind === 'clock')
    let visits = 0
    let [sinceMs, lastMs] = [Infinity, Infinity]
    for (const { atMs, weight } of absences) {
      visits += weight
      sinceMs = Math.min(sinceMs, atMs) + Math.max(0, atMs - lastMs - MOST_UNSEEN_MS)
      lastMs = atMs
      // By a clock that jumps the time of the first visit may lie in the future, and what it took for gone is looked at anew once it is right.
      for (const { fromMs, untilMs } of clocks) {
        if (fromMs >= atMs || untilMs <= sinceMs) continue
        if (untilMs < atMs) [sinceMs, visits] = [atMs, weight]
        else sinceMs = Math.max(sinceMs, fromMs)
      }
      if (visits >= GONE_AFTER_VISITS && atMs - sinceMs >= GONE_AFTER_MS + JITTER_MS && !this.#isBehind(atMs)) return atMs
    }
    return undefined
  }

  /** Whether a machine that slept does not know yet for how long. */
  #isBehind(atMs: number): boolean {
    return this.#suspends.some(({ untilMs }) => atMs >= untilMs && atMs < untilMs + ADOPTED_MS)
  }
}

/** Whether a clock jumped meanwhile. */
function hasClock({ troubles }: PageLife, { fromMs, untilMs }: Span): boolean {
  return troubles.some((each) => each.kind === 'clock' && each.untilMs >= fromMs && each.fromMs <= untilMs)
}
