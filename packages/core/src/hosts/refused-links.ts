// Links that were not followed, by the rule that refused them and the host that they led to.
import type { RefusalRow, RefusalRule } from '../ports/report.ts'

/** How many links these are. */
export function refusedCount(refused: readonly RefusalRow[]): number {
  return refused.reduce((sum, [, , count]) => sum + count, 0)
}

/** Counts those of a page. */
export class RefusedLinks {
  readonly #rows = new Map<string, RefusalRow>()

  /** One link or several; `host`: empty where there is none. */
  add(rule: RefusalRule, host: string, count = 1): void {
    const key = `${rule} ${host}`
    const [, , before] = this.#rows.get(key) ?? [rule, host, 0]
    this.#rows.set(key, [rule, host, before + count])
  }

  /** As they are kept. */
  get rows(): readonly RefusalRow[] {
    return [...this.#rows.values()]
  }
}
