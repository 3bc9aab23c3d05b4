// Handlers that yield nothing for page after page, at no host and in no run: a selector that matches nothing, most likely, which no error ever says.
//
// One item or link ever, and a handler is never told of; where its pages used to have items, `hasDriedUp` notices.
import type { MemoryParts } from '../frontier-reader.ts'
import type { SilentHandler } from '../report.ts'
import { hostYield } from './handler-yields.ts'

/** With fewer pages it may be chance. */
const MANY = 10

/** Adds them up over the hosts of a store. */
export class SilentHandlers {
  /** Pages by name; undefined: it has yielded. */
  readonly #pages = new Map<string, number | undefined>()
  /** Those that every host counts by name where unnamed ones have yielded: any other may be one of these. */
  #named: ReadonlySet<string> | undefined

  /**
   * Adds those of the pages of a host, of which this is the memory.
   *
   * @throws AVO_FRONTIER_CORRUPT.
   */
  addOf(memory: MemoryParts): void {
    const yields = hostYield(memory)
    for (const { handler, pages, yielding } of yields) {
      if (handler === undefined) {
        if (yielding > 0) this.#onlyNamed(new Set(yields.flatMap(({ handler: name }) => name ?? [])))
      } else if (yielding > 0) this.#pages.set(handler, undefined)
      else if (this.#pages.get(handler) !== undefined || !this.#pages.has(handler))
        this.#pages.set(handler, (this.#pages.get(handler) ?? 0) + pages)
    }
  }

  /** `lastPages`: the last page of this run that each handler yielded nothing for. */
  found(lastPages: ReadonlyMap<string, string>): readonly SilentHandler[] {
    return [...this.#pages].flatMap(([handler, pages = 0]) => {
      if (pages < MANY || this.#named?.has(handler) === false) return []
      const url = lastPages.get(handler)
      return [{ handler, pages, ...(url !== undefined && { url }) }]
    })
  }

  #onlyNamed(names: ReadonlySet<string>): void {
    const before = this.#named
    this.#named = before === undefined ? names : new Set([...names].filter((name) => before.has(name)))
  }
}
