// Limits of a host that were ordered, in words.
import type { LimitsChange } from '@avocet/core/tools'
import { formatDuration } from '../text/quantity.ts'

/** Of those that are set or restored; "no limits" where there is none. */
export function limitsInWords({ maxRps, maxInFlight, delayMs }: LimitsChange): string {
  const words = [
    ...limit(maxRps, 'requests per second', (value) => `at most ${value} requests per second`),
    ...limit(maxInFlight, 'requests in flight', (value) => `at most ${value} in flight`),
    ...limit(delayMs, 'delay', (value) => `at least ${formatDuration(value)} between requests`),
  ]
  return words.length === 0 ? 'no limits' : words.join(', ')
}

function limit(value: number | null | undefined, name: string, inWords: (value: number) => string): string[] {
  if (value === undefined) return []
  return [value === null ? `${name} as configured` : inWords(value)]
}
