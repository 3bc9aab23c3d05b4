// The timeout law `fixed`: always the same.
import { check, DURATION } from '../checked-options.ts'
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
  check('fixedTimeout', options, { ms: DURATION }, ['ms'])
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
