// Whether a method may be sent again when nobody knows whether the first one was acted on.

/** RFC 9110 §9.2.2. A method that is not listed may be anything, and counts as unsafe. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/**
 * Whether sending `method` (upper case) twice means the same as sending it once.
 *
 * @example
 * ```ts
 * isIdempotent('POST') // false
 * ```
 */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method)
}
