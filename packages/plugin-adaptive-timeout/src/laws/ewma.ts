// The timeout law `ewma`: three times the moving average of answers. The usual recipe, for comparison.
//
// T = clamp(3 · average, 5 s, 30 s), average = 0.8 · average + 0.2 · answer, beginning at 2 s. It learns from answers only: a healthy host that
// takes 15 s is never heard at all, since the first timeout is 6 s and nothing ever raises it (bench/control/timeout.ts: 100 % false timeouts).
import type { TimeoutLaw } from '../timeout-law.ts'

/** Memory of one phase of one host. */
export type EwmaState = { readonly averageMs: number }

const KEEP = 0.8

/**
 * The law `ewma`. Not for use where hosts may be slow.
 *
 * @example
 * ```ts
 * ewma().timeoutMs({ averageMs: 3_000 }, { failedAttempts: 0, prior: [] }) // 9000
 * ```
 */
export function ewma(): TimeoutLaw<EwmaState> {
  return {
    name: 'ewma',
    fresh: () => ({ averageMs: 2_000 }),
    inTime: ({ averageMs }, { tookMs }) => ({ averageMs: Math.round(KEEP * averageMs + (1 - KEEP) * tookMs) }),
    timedOut: (state) => state,
    timeoutMs: ({ averageMs }) => Math.max(5_000, Math.min(30_000, 3 * averageMs)),
    explain: ({ averageMs }) => ({ averageMs }),
  }
}
