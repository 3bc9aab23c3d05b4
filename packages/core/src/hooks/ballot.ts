// Collects the votes on one exchange; closed where the spider wants the answer, for then nobody votes.
import { messageOf } from '../errors.ts'
import { failure, type Failure } from '../failure.ts'
import type { Ballot } from '../plugin.ts'
import { checkMoment, checkWord } from '../plugin-answer.ts'
import { Collector } from './collector.ts'
import { ACCEPT, louder, type Verdict } from '../verdict.ts'

/** One vote; `verdict` is its result. */
export class OpenBallot extends Collector implements Ballot {
  verdict: Verdict = ACCEPT
  /** Set when a plugin threw at this station. */
  failure: Failure | undefined
  readonly #closed: boolean

  constructor(closed: boolean) {
    super()
    this.#closed = closed
  }

  retry(at: number, reason: string, options: { readonly counted?: boolean } = {}): void {
    checkMoment('retry(at, reason)', at)
    checkWord('retry(at, reason)', reason)
    if (this.#closed) return
    this.verdict = louder(this.verdict, { kind: 'retry', at, counted: options.counted ?? true, reason })
  }

  drop(reason: string): void {
    checkWord('drop(reason)', reason)
    if (this.#closed) return
    this.verdict = louder(this.verdict, { kind: 'drop', reason })
  }

  /** A plugin threw: the exchange fails, whatever the others vote. */
  threw(plugin: string, hook: string, error: unknown): void {
    this.failure = failure('AVO_PLUGIN_THREW', `plugin ${plugin} threw in ${hook}: ${messageOf(error)}`, { sent: true })
  }
}
