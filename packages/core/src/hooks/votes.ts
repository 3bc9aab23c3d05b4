// What plugins vote on: an answer, a failure, a page whose handler failed. Each says what happened and joins the votes: the loudest wins.
//
// Where nobody votes (the spider wants an answer that looks like trouble, a plugin required the document) votes are still checked, and then ignored. A page
// that looks well may be none: a captcha is often a 200.
import { messageOf } from '../values/errors.ts'
import { type Answered, type Failed, type Voted, ACCEPT, louder, type Verdict } from '../ports/exchange.ts'
import { failure as failureOf, type Failure } from '../ports/failure.ts'
import type { HandlerFailed } from '../ports/unit.ts'
import { checkMoment, checkWord } from '../ports/plugin-answer.ts'
import { Collector } from './collector.ts'
import type { TracedVerdict } from '../ports/trace.ts'

/** What is voted on: it is assigned to the collector. */
type Facts<Subject extends Voted> = Omit<Subject, keyof Voted>

/** Joins the votes on one subject; `loudest` is the result. */
class Votes extends Collector implements Voted {
  readonly loudest: LoudestVote = new LoudestVote()
  /** Set when a plugin threw while it was called. */
  threwAs: Failure | undefined
  /** What counts, whatever others vote. */
  insisted: Verdict | undefined
  readonly #ignored: boolean

  constructor(ignored: boolean) {
    super()
    this.#ignored = ignored
  }

  retry(at: number, reason: string, { counted = true, insists = false }: Parameters<Voted['retry']>[2] = {}): void {
    checkMoment('retry(at, reason)', at)
    checkWord('retry(at, reason)', reason)
    this.#vote({ kind: 'retry', at, counted, reason }, insists)
  }

  drop(reason: string, { insists = false }: Parameters<Voted['drop']>[1] = {}): void {
    checkWord('drop(reason)', reason)
    this.#vote({ kind: 'drop', reason }, insists)
  }

  get verdict(): Verdict {
    return this.insisted ?? this.loudest.verdict
  }

  #vote(verdict: Verdict, insists: boolean): void {
    if (insists) this.insisted = louder(this.insisted ?? ACCEPT, verdict)
    if (insists || !this.#ignored) this.loudest.add(verdict, this.speaker)
  }

  /** A plugin threw: the exchange fails; the votes of others do not count. */
  threw(plugin: string, hook: string, error: unknown): void {
    this.threwAs = failureOf('AVO_PLUGIN_THREW', `plugin ${plugin} threw in ${hook}: ${messageOf(error)}`, { sent: true })
  }
}

/** The collector behind `onResponse`. */
export function answerVotes(facts: Facts<Answered>): Votes & Answered {
  return Object.assign(new Votes((facts.wanted && facts.response.status >= 300) || facts.exchange.required), facts)
}

/** The collector behind `onError`. */
export function failureVotes(facts: Facts<Failed>): Votes & Failed {
  return Object.assign(new Votes(facts.exchange.required), facts)
}

/** The collector behind `onHandled` of a page whose handler failed. */
export function handlerVotes(facts: Facts<HandlerFailed>): Votes & HandlerFailed {
  return Object.assign(new Votes(false), facts)
}

/** Joins votes. */
export class LoudestVote {
  verdict: Verdict = ACCEPT
  /** Whose vote counts; of equal ones the alphabetically first. Undefined while nobody voted. */
  by: string | undefined

  /** As the trace tells it. */
  get told(): TracedVerdict {
    return { verdict: this.verdict, ...(this.by !== undefined && { by: this.by }) }
  }

  add(vote: Verdict, by: string): void {
    const isFirst = this.by === undefined || by < this.by
    if (binds(vote, this.verdict) || (isFirst && !binds(this.verdict, vote))) this.by = by
    this.verdict = louder(this.verdict, vote)
  }
}

/** Whether `a` decides when both are joined, and `b` does not: a later retry, a drop whose reason is kept. */
function binds(a: Verdict, b: Verdict): boolean {
  if (a.kind === 'retry' && b.kind === 'retry') return a.at > b.at
  if (a.kind === 'drop' && b.kind === 'drop') return a.reason < b.reason
  return a.kind !== b.kind && louder(a, b) === a
}
