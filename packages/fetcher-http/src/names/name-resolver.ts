// Who finds the addresses of host names: the name servers, asked by ourselves, or the system; with a cache in either case.
import { wrongOption } from '@avocet/core/plugin'
import type { Clock } from '@avocet/core/store'
import { systemResolve, type Resolve } from '../lookup.ts'
import { DnsNames } from './dns-names.ts'
import { cachedResolve } from './name-cache.ts'

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
