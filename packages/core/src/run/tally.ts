// Counts what a run does.
import type { Clock } from '../ports/clock.ts'
import type { HandlerFailure } from '../ports/failure.ts'
import type { CommitResult, Outcome } from '../ports/frontier.ts'
import { groupOf } from '../ports/handler-error.ts'
import { exceedsRetryAfter } from '../laws/retry-after.ts'
import { countRound, type RoundRow } from '../hosts/rounds.ts'
import { refusedCount } from '../hosts/refused-links.ts'
import type { Problem } from '../ports/trace.ts'
import { rejectGroupOf } from '../ports/reject.ts'
import type { RunCounts } from '../ports/report.ts'
import type { Response } from '../ports/response.ts'
import { Problems } from './problems.ts'
import { countAdded } from '../ports/discovery-limits.ts'
import type { PendingUnit } from './pending-unit.ts'
import type { SettledState } from '../ports/request.ts'
import type { SourceCount } from '../ports/document-handler.ts'

/** A handler yielded what is neither item nor link; the schema threw on an item; `onItem` of a plugin threw on an item, or took too long. */
const OF_ITEMS = /^AVO_(?:HANDLER_(?:YIELD_INVALID|SCHEMA)|PLUGIN_(?:THREW|TIMEOUT))$/
/** Rejects of one page that are told of at once. */
const TOLD_OF_PAGE = 10

/** Totals of all runs, kept from commits: what each request is now, whatever it was before. */
export interface Totals extends Record<SettledState, number> {
  known: number
  waiting: number
  settled: number
  items: number
}

/** Counters of one run. */
export class Tally {
  readonly counts: { -readonly [K in keyof RunCounts]: RunCounts[K] } = {
    pages: 0,
    requests: 0,
    failures: 0,
    items: 0,
    dropped: 0,
    spoiled: 0,
    handled: 0,
    lost: 0,
    missed: 0,
    rejects: 0,
    held: 0,
    changes: 0,
    failed: 0,
    retried: 0,
    moved: 0,
    links: 0,
    added: 0,
    refusedLinks: 0,
    wireBytes: 0,
    pluginErrors: 0,
  }
  /** Pages of this run that a handler got, also those that it failed on, and that are committed: of these `maxPages` is the maximum. */
  handled = 0
  /** Of all runs; nothing is known before the frontier is open. */
  readonly totals: Totals = { known: 0, waiting: 0, settled: 0, done: 0, moved: 0, failed: 0, items: 0 }
  /** The last round of each interval. */
  readonly visits: { rounds?: RoundRow[] } = {}
  /** What documents of plugins listed. */
  readonly sources: SourceCounts = new SourceCounts()
  readonly #problems: Problems

  /** `notify` is called with each problem that is new, or did not come up for an hour. `hide` takes secrets out of its text. */
  constructor(clock: Pick<Clock, 'now'>, notify: (problem: Problem) => void, hide = (message: string): string => message) {
    this.#problems = new Problems(clock, notify, hide)
  }

  /** Notes a problem in a plugin, a handler or the store; all of one `kind` in the words of the first. */
  readonly problem = (said: string, kind?: string): void => this.#problems.note('problem', said, kind)

  /** Tells of something that the report has in another place. */
  readonly notice = (said: string): void => this.#problems.note('notice', said)

  /** Tells of something with which nothing is wrong. */
  readonly inform = (said: string): void => this.#problems.note('information', said)

  /** Notes that the store or the network cannot be used: there is always room for that. */
  readonly outage = (said: string): void => this.#problems.note('outage', said)

  /** Tells of an error in the user's code. The report counts it where its page fails for good. */
  handlerError({ handlerError }: HandlerFailure, url: string, isRetried: boolean): void {
    const { place, message } = handlerError
    const words = `${place === undefined ? '' : `${place} `}${message}, first at ${url}`
    this.#problems.note(isRetried ? 'problem' : 'notice', words, groupOf(handlerError))
  }

  /** Counts an answer, and notes what it asks for in vain. */
  answered(hostKey: string, { status, headers, wireBytes }: Response, now: number): void {
    this.counts.wireBytes += wireBytes
    if (status >= 400 && exceedsRetryAfter(headers, now))
      this.problem(
        `${hostKey} asked for more than 30 days without requests (Retry-After): it will be requested again after 30 days`,
      )
  }

  /** The store has committed it. */
  settled(unit: PendingUnit, result: CommitResult): void {
    const { added, published = 0, changes = 0 } = result
    countAdded(unit.host.core, unit, result.added)
    this.sources.add(unit, result)
    const { request, outcome, items, held, dropped = 0, rejects = [], offered, refused } = unit
    const { counts, totals } = this
    counts.items += items.length + published
    counts.held += held?.items.length ?? 0
    counts.changes += changes
    counts.dropped += dropped
    counts.rejects += rejects.length
    // Of one kind in the words of the first: the next differs in a number, and is no news.
    for (const { reason } of rejects.slice(0, TOLD_OF_PAGE))
      this.#problems.note('notice', `the schema refused items: ${reason}`, rejectGroupOf(reason))
    if (outcome?.kind === 'done') counts.pages++
    if (isHandledPage(outcome)) this.handled++
    if (!unit.isListing && isHandledPage(outcome)) counts.handled++
    const code = !unit.isListing && outcome?.kind === 'failed' && isHandledPage(outcome) ? outcome.failure?.code : undefined
    if (code !== undefined) counts.lost++
    if (code !== undefined && OF_ITEMS.test(code)) counts.spoiled++
    counts.links += offered
    counts.refusedLinks += refusedCount(refused)
    counts.added += added
    if (outcome?.kind === 'failed') counts.failed++
    else if (outcome?.kind === 'moved') counts.moved++
    else if (outcome?.kind === 'retry') counts.retried++
    totals.known += added
    totals.waiting += added
    totals.items += items.length + published
    if (outcome === undefined || outcome.kind === 'retry') return
    counts.missed += outcome.again?.skipped ?? 0
    countRound(this.visits, unit, 1)
    if (request?.was !== undefined) this.#settle(request.was, -1)
    this.#settle(outcome.kind, 1)
  }

  /** So many more are settled as this, and do not wait. */
  #settle(as: SettledState, more: number): void {
    const { totals } = this
    totals.waiting -= more
    totals.settled += more
    totals[as] += more
  }

  /** What the store had as it was opened. */
  resumes({ known, waiting, settled, done, moved, failed, items }: Totals): void {
    Object.assign(this.totals, { known, waiting, settled, done, moved, failed, items })
  }

  /** So many requests were new that came outside of a page's commit. */
  offered(added: number): void {
    this.totals.known += added
    this.totals.waiting += added
  }

  /** So many requests wait again that had failed; negative: an operator had so many settled. */
  reopened(count: number): void {
    this.#settle('failed', -count)
  }

  /** The problems that were reported so far. */
  get notices(): readonly Problem[] {
    return this.#problems.reported
  }

  get problems(): Problems['counted'] {
    return this.#problems.counted
  }
}

/** Whether a page with this outcome counts for `maxPages`: a handler got it, also where it failed on it. */
function isHandledPage(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'done' || (outcome?.kind === 'failed' && outcome.failure?.phase === 'handler')
}

// Counts what documents of plugins list, document by document.

/** Documents that are told apart. */
const MAX_SOURCES = 1_000
const OTHERS = ''

/** The counts of one run. */
export class SourceCounts {
  readonly #counts = new Map<string, SourceCount>()

  /** A unit was committed. What a plugin keeps records of, such as a file, lists nothing. */
  add({ isListing, records, request, outcome, offered, links: listed }: PendingUnit, result: CommitResult): void {
    if (isListing !== true || records !== undefined || request === undefined || outcome?.kind !== 'done') return
    // There was none.
    if (outcome.fetched.status >= 400) return
    const isNamed = this.#counts.has(request.url) || this.#counts.size < MAX_SOURCES
    const url = isNamed ? request.url : OTHERS
    const { links = 0, added = 0, due = 0 } = this.#counts.get(url) ?? {}
    // An index has its documents read in each run, whatever their dates.
    const modified = listed.some(({ handler }) => !isOfPlugin(handler)) ? (result.asked ?? 0) : 0
    this.#counts.set(url, { url, links: links + offered, added: added + result.added, due: due + modified })
  }

  /** In the order in which they were first read. */
  get all(): readonly SourceCount[] {
    return [...this.#counts.values()]
  }
}

/** `sitemaps/feed`: the name of the plugin comes before that of the document. */
function isOfPlugin(handler: string): boolean {
  return handler.includes('/')
}
