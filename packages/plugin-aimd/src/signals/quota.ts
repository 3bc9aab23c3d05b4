// What one quota of a host says, in any of the header fields for it. Pure.

/** One quota. What a field did not say is absent. */
export interface Quota {
  /** `requests`, `concurrent` requests, or something `else` such as bytes, of which only the end matters. */
  readonly unit: 'requests' | 'concurrent' | 'else'
  /** So many in `windowMs`. */
  readonly limit?: number
  readonly windowMs?: number
  /** So many are left for the next `resetMs`. */
  readonly remaining?: number
  readonly resetMs?: number
}

/** What the fields of an answer say, and how many of them could not be read. */
export interface Quotas {
  readonly quotas: readonly Quota[]
  readonly ignored: number
}

/** Longer windows and delays are not limits of a rate. */
const MAX_MS = 31 * 86_400_000

/** A number that says how many; undefined when it is none. */
export function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Seconds as ms; undefined when it is no duration. */
export function durationMs(seconds: unknown): number | undefined {
  const found = amount(seconds)
  return found === undefined || found * 1_000 > MAX_MS ? undefined : found * 1_000
}
