// What becomes of a request after an exchange, and how the votes of several plugins combine: the loudest wins.

/** accept < retry < drop. */
export type Verdict =
  | { readonly kind: 'accept' }
  /** Try again, not before `at` (epoch ms). `counted`: this attempt counts towards a retry limit. */
  | { readonly kind: 'retry'; readonly at: number; readonly counted: boolean; readonly reason: string }
  /**
   * Settle as failed with `reason`: a short kebab-case word such as `http-404`. One that begins with the name of a class of dead letters puts it there:
   * `robots`, `blocked-captcha`.
   */
  | { readonly kind: 'drop'; readonly reason: string }

const LOUDNESS = { accept: 0, retry: 1, drop: 2 } as const

/** The verdict that nobody has voted against. */
export const ACCEPT: Verdict = { kind: 'accept' }

/**
 * Joins two votes. Commutative, associative and idempotent, so the order of plugins cannot matter: the loudest kind wins,
 * two retries wait for the later moment and count if either counts, and of equal reasons the alphabetically first is kept.
 *
 * @example
 * ```ts
 * louder({ kind: 'accept' }, { kind: 'drop', reason: 'http-404' }) // the drop
 * ```
 */
export function louder(a: Verdict, b: Verdict): Verdict {
  if (a.kind === 'retry' && b.kind === 'retry') {
    return {
      kind: 'retry',
      at: Math.max(a.at, b.at),
      counted: a.counted || b.counted,
      reason: a.reason < b.reason ? a.reason : b.reason,
    }
  }
  if (a.kind === 'drop' && b.kind === 'drop') return a.reason <= b.reason ? a : b
  return LOUDNESS[a.kind] >= LOUDNESS[b.kind] ? a : b
}
