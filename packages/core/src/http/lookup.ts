// Resolves host names, with a small cache: the system's resolver tells no lifetimes and is asked again for every connection otherwise.
import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import type { Clock } from '../clock.ts'

/** Longest time in ms that an answer is used. Short enough to follow a host that moves, long enough for a burst of connections. */
const POSITIVE_MS = 60_000
/** The same for a failure, so that a dead name costs one question per burst and not one per link. */
const NEGATIVE_MS = 5_000
const MAX_NAMES = 10_000
/** Addresses of one name that are tried: a name with 500 of them is an attack or a mistake. */
const MAX_ADDRESSES = 8

/** What a name resolved to: addresses in the order to try them, or why there are none. */
export type Resolution = { readonly addresses: readonly LookupAddress[]; readonly error?: undefined } | { readonly error: Error }

/** Asks for all addresses of a name. */
export type Resolve = (hostname: string, answer: (resolution: Resolution) => void) => void

/** The system's resolver (`getaddrinfo`: hosts file, search domains, both families). */
export const systemResolve: Resolve = (hostname, answer) => {
  systemLookup(hostname, { all: true }, (error, addresses) => {
    answer(error === null ? { addresses } : { error })
  })
}

/**
 * Adds a cache to `resolve`: 60 s for answers, 5 s for failures, 10,000 names; a name that is being asked for is not asked for twice.
 *
 * @example
 * ```ts
 * const resolve = cachedResolve(systemClock(), systemResolve)
 * ```
 */
export function cachedResolve(clock: Clock, resolve: Resolve): Resolve {
  const known = new Map<string, { readonly resolution: Resolution; readonly until: number }>()
  const asked = new Map<string, ((resolution: Resolution) => void)[]>()

  const keep = (hostname: string, resolution: Resolution): void => {
    known.delete(hostname)
    known.set(hostname, { resolution, until: clock.monotonic() + (resolution.error ? NEGATIVE_MS : POSITIVE_MS) })
    const oldest = known.size > MAX_NAMES ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
  }

  return (hostname, answer) => {
    const entry = known.get(hostname)
    if (entry !== undefined && clock.monotonic() < entry.until) return answer(entry.resolution)
    const others = asked.get(hostname)
    if (others !== undefined) return void others.push(answer)

    const waiting = [answer]
    asked.set(hostname, waiting)
    resolve(hostname, (full) => {
      const resolution = full.error ? full : { addresses: full.addresses.slice(0, MAX_ADDRESSES) }
      keep(hostname, resolution)
      asked.delete(hostname)
      for (const waiter of waiting) waiter(resolution)
    })
  }
}
