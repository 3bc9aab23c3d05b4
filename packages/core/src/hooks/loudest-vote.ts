// The votes of several plugins, joined: the loudest, and the plugin that gave it, whatever their order.
import type { TracedVerdict } from '../trace.ts'
import { ACCEPT, louder, type Verdict } from '../verdict.ts'

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
