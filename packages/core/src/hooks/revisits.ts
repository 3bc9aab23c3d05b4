// Whether a page is visited again, and when: plugins vote in the tick in which its outcome is made, and both are committed together.
//
// Without a vote a page is settled for good. One that was gone stays gone, also when a link or a seed asked for it in vain, until it is there or a plugin
// votes for another visit. A plugin that throws must not take a page off its schedule for ever: it is visited a day later. What is gone may have a next
// visit, too: a shop lists again what was sold out.
import { checkMoment, notAnswer } from '../ports/plugin-answer.ts'
import type { RequestRecord } from '../ports/frontier-reader.ts'
import type { Again, Outcome } from '../ports/frontier.ts'
import type { Revisit, RevisitPlan } from '../ports/revisit.ts'
import { Collector } from './collector.ts'
import { isTapped, type CrawlHooks } from './hooks.ts'

const DAY_MS = 24 * 3_600_000

/** What is known of a visit that has ended. */
type Visit = Omit<Revisit, 'again' | 'gone' | 'keep'>

/** The collector behind `revisit`; what is asked about is assigned to it. */
class RevisitVotes extends Collector implements Pick<Revisit, 'again' | 'gone' | 'keep'> {
  next: Again | undefined
  isGone = false
  isKept = false
  now = 0
  readonly gone = (): void => void (this.isGone = true)
  readonly keep = (): void => void (this.isKept = true)

  again(at: number, { skipped = 0, missing, everyMs }: Parameters<Revisit['again']>[1] = {}): void {
    checkMoment('again(at)', at)
    if (!Number.isSafeInteger(skipped) || skipped < 0) throw notAnswer('again(at, { skipped })', 'a whole number', skipped)
    if (this.next === undefined || at < this.next.at)
      this.next = { at, skipped, ...(missing && { missing }), ...(everyMs && { everyMs }) }
  }

  threw(): void {
    this.again(this.now + DAY_MS)
  }
}

/** The votes of a crawl, and what its plugins said of them when they opened. */
export class Revisits {
  readonly #hooks: Pick<CrawlHooks, 'revisit'>
  readonly #plans: RevisitPlan[] = []

  constructor(hooks: Pick<CrawlHooks, 'revisit'>) {
    this.#hooks = hooks
  }

  /** A plugin has pages visited again. */
  readonly take = (plan: RevisitPlan): void => void this.#plans.push(plan)

  /** Whether a plugin sees to it that a page was modified. */
  readonly sees: NonNullable<RevisitPlan['modified']> = (page) => this.#plans.some((plan) => plan.modified?.(page) === true)

  /** Whether pages are visited again: then the crawl waits for everything that is due at some moment, however far away. */
  get isRevisiting(): boolean {
    return this.#plans.length > 0
  }

  /** Interval at which a function of seeds is called again, ms; Infinity: never. */
  get seedsEveryMs(): number {
    return Math.min(...this.#plans.map(({ seedsEveryMs = Infinity }) => seedsEveryMs))
  }

  /** What the plans go by, as text. */
  get rules(): string {
    return JSON.stringify(this.#plans.map(({ rules }) => rules))
  }

  /** When a settled request is due again by the plans; undefined: never. */
  dueAt(record: RequestRecord): number | undefined {
    const moments = this.#plans.flatMap(({ dueAt }) => dueAt(record) ?? [])
    return moments.length === 0 ? undefined : Math.min(...moments)
  }

  /** The next visit of a page, if there is one, and whether it is believed to be gone. */
  after(visit: Visit): { readonly again?: Again; readonly gone?: true } {
    const votes = new RevisitVotes()
    if (isTapped(this.#hooks.revisit)) this.#hooks.revisit.call(Object.assign(votes, visit))
    const { next, isGone, isKept } = votes
    // What failed was the handler: the page was there.
    const isThere = Math.trunc((visit.outcome.fetched?.status ?? 0) / 100) === 2
    const staysGone = next === undefined && visit.request.earlier?.gone !== undefined && !isThere
    return { ...(next && { again: next }), ...(((isGone && !isKept) || staysGone) && { gone: true }) }
  }

  /** The outcome of a page that failed or moved, with the next visit where there is one; any other outcome as it is. */
  afterTrouble({ host, request }: Pick<Visit, 'host' | 'request'>, outcome: Outcome, now: number): Outcome {
    if (outcome.kind !== 'failed' && outcome.kind !== 'moved') return outcome
    const dueAt = request.earlier?.dueAt ?? outcome.fetched?.at ?? now
    return { ...outcome, ...this.after({ host, request, outcome, now, dueAt }) }
  }
}
