// Items that were set aside, and that somebody wants handed over again. They hold nothing up: after a failure they come one by one, each when something else
// passed, or when there is nothing else; one that fails three times beside others that pass is set aside again.
import type { SinkLimits } from '@avocet/core/sink'
import type { RetriedItem } from './sink-rejects.ts'

const MAX_FAILURES = 3

/** The retries of one sink. */
export class Retries {
  /** By id of the reject. */
  readonly #failures = new Map<number, number>()
  #hasFailed = false
  #passedSince = true

  /** Whether any of them failed, and is still to be handed over. */
  get haveFailed(): boolean {
    return this.#hasFailed
  }

  /** Whether there is to be a look for them. `idle`: there is nothing else. */
  areDue(idle: boolean): boolean {
    return this.#passedSince || idle
  }

  /** Those of `wanted` that come next. */
  next(wanted: readonly RetriedItem[]): readonly RetriedItem[] {
    if (!this.#hasFailed) return wanted
    // Those that failed least often first.
    const sorted = [...wanted].sort((a, b) => (this.#failures.get(a.id) ?? 0) - (this.#failures.get(b.id) ?? 0) || a.id - b.id)
    return sorted.slice(0, 1)
  }

  /** Something was written to the sink. */
  passed(): void {
    this.#passedSince = true
  }

  /** These failed together. Those that are to be set aside again. */
  failed(items: readonly RetriedItem[]): readonly RetriedItem[] {
    const counts = this.#passedSince && items.length === 1
    this.#hasFailed = true
    this.#passedSince = false
    if (!counts) return []
    for (const { id } of items) this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1)
    const again = items.filter(({ id }) => (this.#failures.get(id) ?? 0) >= MAX_FAILURES)
    this.ended(again)
    return again
  }

  /** They are written, or set aside again. */
  ended(items: readonly RetriedItem[]): void {
    for (const { id } of items) this.#failures.delete(id)
    if (this.#failures.size === 0) this.#hasFailed = false
  }
}

/** The first of them, as many as the sink takes at once. */
export function retriedAtOnce(items: readonly RetriedItem[], { maxItems, maxBytes }: SinkLimits): readonly RetriedItem[] {
  let bytes = 0
  const end = items.findIndex(({ json }, n) => {
    bytes += Buffer.byteLength(json)
    return n === maxItems || (n > 0 && bytes > maxBytes)
  })
  return end === -1 ? items : items.slice(0, end)
}
