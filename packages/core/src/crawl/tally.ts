// Counts what a run does, and collects its problems: each message once, with how often it came. What is new, or comes back, is told at once.
import type { Clock } from '../clock.ts'
import type { CommitResult } from '../frontier.ts'
import { exceedsRetryAfter } from '../http/retry-after.ts'
import type { Problem } from '../plugin.ts'
import type { RunCounts } from '../report.ts'
import type { Response } from '../response.ts'
import type { Totals } from './status-of.ts'
import type { TurnDraft } from './turn-draft.ts'

const MAX_PROBLEMS = 50
/** A problem that was not heard of for so long is told again. */
const TELL_AGAIN_MS = 3_600_000

/** Counters of one run. */
export class Tally {
  readonly counts: { -readonly [K in keyof RunCounts]: RunCounts[K] } = {
    pages: 0,
    requests: 0,
    items: 0,
    failed: 0,
    retried: 0,
    moved: 0,
    links: 0,
    added: 0,
    refusedLinks: 0,
    wireBytes: 0,
    pluginErrors: 0,
  }
  readonly #problems = new Map<string, { count: number; lastAt: number }>()
  /** Those for which there was no room. */
  #others = 0
  #isTelling = false
  readonly #clock: Pick<Clock, 'now'>
  readonly #tell: (problem: Problem) => void

  /** `tell` hears of each problem when it is new, or was not heard of for an hour. */
  constructor(clock: Pick<Clock, 'now'>, tell: (problem: Problem) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** Notes a problem in a plugin, a handler or the store. */
  readonly problem = (message: string): void => {
    const known = this.#problems.get(message)
    if (known === undefined && this.#problems.size >= MAX_PROBLEMS) {
      this.#others++
      return
    }
    const now = this.#clock.now()
    this.#problems.set(message, { count: (known?.count ?? 0) + 1, lastAt: now })
    if (known === undefined || now - known.lastAt >= TELL_AGAIN_MS) this.#tellOnce({ message, now })
  }

  /** A problem of whoever hears of problems is counted, and not told in turn. */
  #tellOnce(problem: Problem): void {
    if (this.#isTelling) return
    this.#isTelling = true
    this.#tell(problem)
    this.#isTelling = false
  }

  /** Counts an answer, and notes what it asks for in vain. */
  answered(hostKey: string, { status, headers, wireBytes }: Response, now: number): void {
    this.counts.wireBytes += wireBytes
    if (status >= 400 && exceedsRetryAfter(headers, now))
      this.problem(`${hostKey} asks to be left alone for more than 30 days (Retry-After): it is asked again after 30 days`)
  }

  /** Counts a committed turn, and gives the totals after it. */
  committed({ request, outcome, items, offered, refusedLinks }: TurnDraft, { added }: CommitResult, totals: Totals): Totals {
    const { counts } = this
    counts.items += items.length
    counts.links += offered
    counts.refusedLinks += refusedLinks
    counts.added += added
    if (outcome?.kind === 'failed') counts.failed++
    else if (outcome?.kind === 'moved') counts.moved++
    else if (outcome?.kind === 'retry') counts.retried++
    // One that was visited before is settled already.
    const isFirst = outcome !== undefined && outcome.kind !== 'retry' && request?.earlier === undefined
    const settled = isFirst ? 1 : 0
    return {
      known: totals.known + added,
      waiting: totals.waiting + added - settled,
      settled: totals.settled + settled,
      items: totals.items + items.length,
    }
  }

  get problems(): { readonly message: string; readonly count: number }[] {
    const known = [...this.#problems].map(([message, { count }]) => ({ message, count }))
    return this.#others === 0 ? known : [...known, { message: 'other problems, which are not listed', count: this.#others }]
  }
}
