// Whether a request may be sent twice. Pure.
//
// RFC 9110 §9.2: GET, HEAD, OPTIONS and TRACE are safe; PUT and DELETE are idempotent by definition, and in practice only if the server's author read it.
// Anything may be repeated that never left this machine, or that the server refused to look at.

/** What the user vouches for. */
export interface Repeatable {
  /** PUT and DELETE may be repeated. */
  readonly idempotent: boolean
  /** Everything may be repeated. */
  readonly retryUnsafe: boolean
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const IDEMPOTENT = new Set(['PUT', 'DELETE'])

/** `processed`: whether the server may have acted on it. */
export function isRepeatable(method: string, processed: boolean, { idempotent, retryUnsafe }: Repeatable): boolean {
  if (SAFE.has(method) || retryUnsafe || !processed) return true
  return idempotent && IDEMPOTENT.has(method)
}
