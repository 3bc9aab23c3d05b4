// The past of all handlers of one host, as a text beside its memory, and what is known in RAM while the host is held.
import { freshPast, HandlerPast, type KeptPast } from './laws/handler-past.ts'

/** Name of the text. */
export const HANDLERS_BLOB = 'health'
const VERSION = 4
/** Handlers of a host that are watched. */
const MAX_HANDLERS = 16
/** Written when the host is given back, or so much more has changed than it has pages: what a kill loses is learned again. */
const MANY_NEW = 16

/** Of one host. */
export class HostPast {
  readonly since: number
  readonly #handlers: Map<string, HandlerPast>

  /** `since`: of the memory that it goes with. */
  constructor(text: string | undefined, since: number) {
    const [version, from, saved] = text ? (JSON.parse(text) as [number, number, Record<string, KeptPast>]) : []
    const kept = version === VERSION && from === since && saved !== undefined ? saved : {}
    this.since = since
    this.#handlers = new Map(Object.entries(kept).map(([name, each]) => [name, new HandlerPast(each)]))
  }

  /** Of a handler; those beyond the first ones are not remembered. */
  of(handler: string): HandlerPast {
    const past = this.#handlers.get(handler) ?? new HandlerPast(freshPast())
    if (this.#handlers.size < MAX_HANDLERS) this.#handlers.set(handler, past)
    return past
  }

  /** What becomes of what is held: `publish` of pages of this handler, `drop` of all. */
  settle(to: 'publish' | 'drop', handler: string): void {
    for (const [name, past] of this.#handlers) if (to === 'drop' || name === handler) past.settle(to)
  }

  /** As JSON text, when it is time to write it. */
  changedText(isGivenBack = false): string | undefined {
    let [unsaved, pages] = [0, 0]
    for (const past of this.#handlers.values()) {
      unsaved += past.unsaved
      pages += past.pages
    }
    if (unsaved === 0 || (!isGivenBack && unsaved < MANY_NEW + pages)) return undefined
    for (const past of this.#handlers.values()) past.saved()
    return JSON.stringify([VERSION, this.since, Object.fromEntries([...this.#handlers].map(([name, { kept }]) => [name, kept]))])
  }
}
