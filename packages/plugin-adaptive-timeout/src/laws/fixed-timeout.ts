// The timeout law `fixed`: always the same.
import { checkOptions, needed, positive } from '@avocet/core'
import type { TimeoutLaw } from '../timeout-law.ts'

/**
 * The law `fixed`: the same timeout for every exchange.
 *
 * @param options `ms`: how long to wait, above 0.
 * @throws AVO_CONFIG_INVALID when `ms` is missing or not above 0.
 * @example
 * ```ts
 * fixedTimeout({ ms: 10_000 }).timeoutMs({}, { failedAttempts: 0, prior: [] }) // 10000
 * ```
 */
export function fixedTimeout(options: { readonly ms: number }): TimeoutLaw<Record<string, never>> {
  checkOptions('fixedTimeout', options, { ms: needed(positive) })
  const { ms } = options
  return {
    name: 'fixed',
    fresh: () => ({}),
    inTime: (state) => state,
    timedOut: (state) => state,
    timeoutMs: () => ms,
    explain: () => ({}),
  }
}
