// The question of `why`: asks about a host as the scheduler does, and keeps every answer that holds it, not only the one that binds.
import { messageOf } from '../errors.ts'
import type { Hold } from '../report.ts'
import { AdmissionCollector } from './admission.ts'
import { isUntilResumed } from '../until-resumed.ts'

/** The collector behind `explainHost`. */
export class AdmissionQuestion extends AdmissionCollector {
  readonly #said: (Hold & { readonly isCount: boolean })[] = []
  readonly #nextUrl: string | undefined

  /** `admit` asks all plugins. */
  constructor(admit: (question: AdmissionQuestion) => void, nextUrl: string | undefined) {
    super({ admit: { call: () => admit(this) } })
    this.#nextUrl = nextUrl
  }

  /** In the order in which they were given. Who says until when, and that none may be in flight until then, holds it once: until then. */
  get holds(): readonly Hold[] {
    const hasEnd = new Set(this.#said.flatMap(({ by, until, isCount }) => (!isCount && until > this.now ? [by] : [])))
    return this.#said.flatMap(({ isCount, ...hold }) => (isCount && hasEnd.has(hold.by) ? [] : [hold]))
  }

  /** A host at rest has its requests in the store: the caller knows which one would go next. */
  override get nextUrl(): string | undefined {
    return this.#nextUrl
  }

  override notBefore(at: number, why: string): void {
    super.notBefore(at, why)
    if (at > this.now) this.#note(why, isUntilResumed(at) ? Infinity : at)
  }

  override giveUp(reason: string): void {
    super.giveUp(reason)
    this.#note(reason, Infinity)
  }

  override atMost(n: number, why: string): void {
    super.atMost(n, why)
    if (n < 1) this.#note(why, Infinity, true)
  }

  override require(url: string): void {
    super.require(url)
    this.#note(`wants ${url} first`, this.now)
  }

  /** The crawl would let the host rest for a minute; here it is the next question that may find it well. */
  override threw(_plugin: string, _hook: string, error: unknown): void {
    this.#note(`threw in admit: ${messageOf(error)}`, this.now)
  }

  #note(why: string, until: number, isCount = false): void {
    this.#said.push({ by: this.speaker, why, until, isCount })
  }
}
