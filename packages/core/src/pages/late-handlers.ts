// Handlers, and `onItem` of plugins, that overran their time and still run: their page has failed, but they hold it in RAM until they really end.
//
// So they count against what handlers may hold. Nothing in the process can end a promise, and one that never ends must not stop the crawl:
// at most half of that is theirs. Beyond it the one that has been late for longest is no longer counted, and the report says so.

/** What they may hold, as a share of what all may. */
const SHARE = 0.5

/** What all handlers may hold. The bytes of each are acquired; they are released when it is counted no more. */
export interface Allowance {
  readonly handlers: number
  readonly bytes: number
  release(bytes: number): void
}

/** Those that are late. */
export class LateHandlers {
  /** Bytes of their pages, the latest last. */
  readonly #late = new Set<{ readonly bytes: number }>()
  readonly #allowance: Allowance
  readonly #problem: (message: string) => void
  #bytes = 0

  constructor(allowance: Allowance, problem: (message: string) => void) {
    this.#allowance = allowance
    this.#problem = problem
  }

  get count(): number {
    return this.#late.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** One more, which has acquired `bytes`, until `end` settles; `ended` is called then. */
  add(bytes: number, end: PromiseLike<unknown>, ended: () => void): void {
    const one = { bytes }
    this.#late.add(one)
    this.#bytes += bytes
    const over = (): void => {
      this.#forget(one)
      ended()
    }
    end.then(over, over)
    for (const oldest of this.#late) {
      if (this.#late.size <= Math.floor(SHARE * this.#allowance.handlers) && this.#bytes <= SHARE * this.#allowance.bytes) break
      this.#forget(oldest)
      this.#problem('handlers that timed out are still running, and each keeps its page in memory; find what they wait for')
    }
  }

  #forget(one: { readonly bytes: number }): void {
    if (!this.#late.delete(one)) return
    this.#bytes -= one.bytes
    this.#allowance.release(one.bytes)
  }
}
