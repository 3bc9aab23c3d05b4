// The part of a host name that somebody registered, by the Public Suffix List; remembered by name, for the list is long.
import { createRequire } from 'node:module'
import type * as Tldts from 'tldts'

/** Names remembered: at some 100 bytes each, 1 MB. All are forgotten when it is full, which costs 1 µs a name. */
const MAX_REMEMBERED = 10_000

const require = createRequire(import.meta.url)
const remembered = new Map<string, string>()
let list: typeof Tldts | undefined

/**
 * The registrable domain of `hostname`; the name itself when it has none (an address, `localhost`, a public suffix).
 * Suffixes that companies hand out (`github.io`) count as public, as in browsers: their tenants are strangers to one another.
 */
export function registrableDomain(hostname: string): string {
  const known = remembered.get(hostname)
  if (known !== undefined) return known
  // Loaded at the first question: crawls that go by host never ask one.
  list ??= require('tldts') as typeof Tldts
  const domain = list.getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(hostname, domain)
  return domain
}
