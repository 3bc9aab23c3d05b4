// Who finds the addresses of host names: the name servers, asked by ourselves, or the system; with a cache in either case.
import { wrongOption } from '@avocet/core/plugin'
import type { Clock } from '@avocet/core/store'
import { systemResolve, type Resolution, type Resolve } from '../lookup.ts'
import { DnsNames } from './dns-names.ts'
import { isMissing } from './dns-question.ts'

/** Whom to ask for the addresses of a name. */
export interface NameResolverOptions {
  readonly clock: Clock
  /** `dns` asks the name servers of the system. `system` has the system ask, on four threads (getaddrinfo). Default `dns`. */
  readonly resolver?: 'dns' | 'system'
  /** Name servers to ask instead of the system's, for all names but localhost and those of the hosts file: `192.0.2.53` or `192.0.2.53:5353`. */
  readonly nameServers?: readonly string[]
}

/** A resolver with a cache, to be closed when nobody asks any more. */
export interface NameResolver {
  readonly resolve: Resolve
  /** Ends the queries in progress; those who wait get no answer. */
  close(): void
}

/**
 * Resolves names for a crawl, with a cache that goes by their times to live.
 *
 * @throws AVO_CONFIG_INVALID for name servers that are no addresses, and for name servers when the system is to ask.
 * @example
 * ```ts
 * const { resolve, close } = nameResolver({ clock: systemClock() })
 * resolve('example.com', (resolution) => {
 *   console.log(resolution.error ?? resolution.addresses)
 *   close()
 * })
 * ```
 */
export function nameResolver({ clock, resolver = 'dns', nameServers }: NameResolverOptions): NameResolver {
  if (resolver !== 'dns' && resolver !== 'system') throw wrongOption('resolver', "'dns' or 'system'", resolver)
  if (nameServers && resolver === 'system')
    throw wrongOption('nameServers', "left out with resolver: 'system', which has its own", nameServers.join(', '))
  if (resolver === 'system') return { resolve: cachedResolve(clock, systemResolve), close() {} }
  const names = new DnsNames({ clock, ...(nameServers !== undefined && { nameServers }) })
  return { resolve: cachedResolve(clock, (name, answer) => names.resolve(name, answer)), close: () => names.close() }
}

// Remembers what names resolved to: for as long as their records may live, and longer while the name server fails.
//
// An answer is used for its time to live, but at least 10 s, for a burst of connections, and at most an hour. Afterwards it is queried again. If
// the name server has no answer to give within a second, or fails, the old one is used for up to an hour more (serve-stale,
// RFC 8767 §5): a name server that is down for ten minutes is no reason to fail at hosts that are well. A name that is said not to exist is forgotten.

/** For answers that do not say: the system's resolver tells no lifetimes. */
const UNTOLD_MS = 60_000
const LEAST_MS = 10_000
const MOST_MS = 3_600_000

/** A name that does not exist costs one question per burst, and not one per link; below the pause after which a host is asked again. */
const MISSING_MS = 20_000
const FAILED_MS = 5_000
const STALE_MS = 3_600_000

/** While the old answer is used, the name is queried no more often. */
const STALE_AGAIN_MS = 30_000

/** A look-up that takes longer than this gets the old answer. RFC 8767 has 1.8 s; adaptive-timeout gives a connection 1.5 s at least, and both must fit in. */
const PATIENCE_MS = 1_000
const MAX_NAMES = 10_000

/** Addresses of one name that are tried: a name with 500 of them is an attack or a mistake. */
const MAX_ADDRESSES = 8

interface Known {
  readonly resolution: Resolution
  readonly until: number
  /** Until then it is better than nothing; 0 for a failure. */
  readonly staleUntil: number
}

/** A look-up in progress. */
interface Asked {
  waiting: ((resolution: Resolution) => void)[]
  /** Nobody waits any longer for it: the old answer does. */
  late: boolean
}

/**
 * Adds a cache of 10,000 names to `resolve`; a name whose look-up is in progress is not looked up twice.
 *
 * @example
 * ```ts
 * const resolve = cachedResolve(systemClock(), (_name, answer) => answer({ addresses: [{ address: '192.0.2.1', family: 4 }], ttlMs: 60_000 }))
 * ```
 */
export function cachedResolve(clock: Clock, resolve: Resolve): Resolve {
  const known = new Map<string, Known>()
  const asked = new Map<string, Asked>()

  const keep = (hostname: string, entry: Known): Resolution => {
    known.delete(hostname)
    known.set(hostname, entry)
    const oldest = known.size > MAX_NAMES ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    return entry.resolution
  }

  const ask = (hostname: string, answer: (resolution: Resolution) => void): void => {
    const question: Asked = { waiting: [answer], late: false }
    asked.set(hostname, question)
    let timer: Disposable | undefined
    let over = false
    resolve(hostname, (resolution) => {
      if (over) return
      over = true
      timer?.[Symbol.dispose]()
      asked.delete(hostname)
      const entry = entryOf(resolution, known.get(hostname), clock.monotonic())
      const kept = keep(hostname, entry)
      for (const waiter of question.waiting) waiter(kept)
    })
    const old = known.get(hostname)
    if (over || old === undefined || !isUsable(old, clock.monotonic())) return
    timer = clock.at(clock.now() + PATIENCE_MS, () => {
      question.late = true
      const { waiting } = question
      question.waiting = []
      for (const waiter of waiting) waiter(old.resolution)
    })
  }

  return (hostname, answer) => {
    const entry = known.get(hostname)
    const now = clock.monotonic()
    if (entry !== undefined && now < entry.until) return answer(entry.resolution)
    const question = asked.get(hostname)
    if (question === undefined) return ask(hostname, answer)
    if (question.late && entry !== undefined && isUsable(entry, now)) return answer(entry.resolution)
    question.waiting.push(answer)
  }
}

function isUsable({ staleUntil }: Known, now: number): boolean {
  return now < staleUntil
}

function entryOf(resolution: Resolution, old: Known | undefined, now: number): Known {
  if (resolution.error === undefined) {
    const { addresses, ttlMs = UNTOLD_MS } = resolution
    const until = now + Math.min(MOST_MS, Math.max(LEAST_MS, ttlMs))
    return { resolution: { addresses: addresses.slice(0, MAX_ADDRESSES) }, until, staleUntil: until + STALE_MS }
  }
  if (isMissing(resolution.error)) return { resolution, until: now + MISSING_MS, staleUntil: 0 }
  if (old === undefined || !isUsable(old, now)) return { resolution, until: now + FAILED_MS, staleUntil: 0 }
  return { ...old, until: Math.min(now + STALE_AGAIN_MS, old.staleUntil) }
}
