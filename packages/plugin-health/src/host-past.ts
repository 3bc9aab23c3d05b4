// The past of all handlers of one host, as a text beside its memory, and what is known in RAM while the host is held.
import { freshPast, HandlerPast, type KeptPast } from './laws/handler-past.ts'
import type { PageContent } from './laws/page-evidence.ts'
import type { FieldValue, PageVerdict } from './laws/verdict.ts'

/** Name of the text. */
export const HANDLERS_BLOB = 'health'
const VERSION = 2
/** Handlers of a host that are watched. */
const MAX_HANDLERS = 16
/** Pages that were well so long ago are those right before: a break seldom begins in between. */
const RECENT_MS = 60_000
/** One page in so many is looked at closely, and the first since the host was leased. */
const CLOSE_EACH = 20
const MAX_PENDING = 24
/** Written when the host is given back, or half of it is new: what a kill loses is learned again. */
const MANY_NEW = 16

/** What is known of a handler in RAM. */
interface Lately {
  /** Pages in a row that were well, and when the last of them was. */
  well: number
  wellAt: number
  pages: number
  pending: readonly FieldValue[]
}

/** Of one host. */
export class HostPast {
  readonly since: number
  readonly #handlers: Map<string, HandlerPast>
  readonly #lately = new Map<string, Lately>()

  /** `since`: of the memory that it goes with. */
  constructor(text: string | undefined, since: number) {
    const [version, from, saved] = text ? (JSON.parse(text) as [number, number, Record<string, KeptPast>]) : []
    const kept = version === VERSION && from === since && saved !== undefined ? saved : {}
    this.since = since
    this.#handlers = new Map(Object.entries(kept).map(([name, each]) => [name, new HandlerPast(each)]))
  }

  /** Of a handler; those beyond the first ones are not remembered. */
  of(handler: string): HandlerPast {
    const known = this.#handlers.get(handler)
    if (known !== undefined) return known
    const made = new HandlerPast(freshPast())
    if (this.#handlers.size < MAX_HANDLERS) this.#handlers.set(handler, made)
    return made
  }

  isTurn(handler: string): boolean {
    return this.#of(handler).pages++ % CLOSE_EACH === 0
  }

  /** So many pages of the handler right before were well. */
  wellBefore(handler: string, now: number): number {
    const { well, wellAt } = this.#of(handler)
    return now - wellAt <= RECENT_MS ? well : 0
  }

  /** Whether a page has a value that a changed page before has now: it bears that one out no more than a second one of that kind would. */
  isAlike(id: number, handler: string): boolean {
    const past = this.of(handler)
    const [item, ...others] = past.of(id)?.slice(1) ?? []
    if (!Array.isArray(item) || others.length > 0) return false
    return this.pending(handler).some(([field, value]) => (item[field + 1] ?? null) === value && !past.isCommon(field, value))
  }

  /** What has changed on the pages before, since one was as it was and nothing held. */
  pending(handler: string): readonly FieldValue[] {
    return this.#of(handler).pending
  }

  settle(to: 'publish' | 'drop'): void {
    for (const past of this.#handlers.values()) past.settle(to)
  }

  /** What became of a page. */
  note(
    { id, handler, at }: PageContent & { readonly handler: string; readonly at: number },
    { as, isNew, record, changes = [] }: PageVerdict,
    became: { readonly isHeld: boolean; readonly isHolding: boolean; readonly isSuspect: boolean },
  ): void {
    const past = this.of(handler)
    const lately = this.#of(handler)
    lately.pending = [...(became.isHolding ? lately.pending : []), ...changes].slice(-MAX_PENDING)
    if (became.isSuspect) past.settle('drop')
    lately.well = as === 'plain' || (as === 'fresh' && !isNew) ? this.wellBefore(handler, at) + 1 : 0
    lately.wellAt = at
    if (became.isHeld) {
      if (record !== undefined && !became.isSuspect) past.hold(id, record)
      return
    }
    if (as === 'plain') past.compared((past.of(id)?.length ?? 1) - 1)
    else if (record !== undefined) past.publish(id, record)
  }

  /** As JSON text, when it is time to write it. */
  changedText(isGivenBack = false): string | undefined {
    let [unsaved, pages] = [0, 0]
    for (const past of this.#handlers.values()) {
      unsaved += past.unsaved
      pages += past.pages
    }
    if (unsaved === 0 || (!isGivenBack && unsaved < MANY_NEW + pages / 2)) return undefined
    for (const past of this.#handlers.values()) past.saved()
    return JSON.stringify([VERSION, this.since, Object.fromEntries([...this.#handlers].map(([name, { kept }]) => [name, kept]))])
  }

  #of(handler: string): Lately {
    const known = this.#lately.get(handler)
    if (known !== undefined) return known
    const made: Lately = { well: 0, wellAt: -Infinity, pages: 0, pending: [] }
    this.#lately.set(handler, made)
    return made
  }
}
