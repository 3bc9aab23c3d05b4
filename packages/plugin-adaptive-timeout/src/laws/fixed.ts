// The timeout law `fixed`: always the same.
import type { TimeoutLaw } from '../timeout-law.ts'

/**
 * The law `fixed`.
 *
 * @param options `ms`: how long to wait, above 0.
 * @example
 * ```ts
 * const plugin = adaptiveTimeout({ law: fixed({ ms: 10_000 }) })
 * ```
 */
export function fixed({ ms }: { readonly ms: number }): TimeoutLaw<Record<string, never>> {
  return {
    name: 'fixed',
    fresh: () => ({}),
    inTime: (state) => state,
    timedOut: (state) => state,
    timeoutMs: () => ms,
    explain: () => ({}),
  }
}
