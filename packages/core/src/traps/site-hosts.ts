// How many host names links may add below one registrable domain: a farm of aliases (`a1.trap.test`, `a2.trap.test`, …) has no end of them.
//
// A site may have 200 hosts, and two more for each of them that has given ten pages: what gives grows without an end. Hosts of seeds and of the scope
// do not count, and neither do ports. Only sites that are full are remembered at rest: a run that begins anew may add to the others, which is bounded
// by what is left to them.
import { siteOf } from '../url/host-key.ts'
import { textHash } from '../url/fingerprint.ts'

/** Sites that are counted at once; those longest not heard of are forgotten. */
const MAX_SITES = 10_000
const MAX_FULL_AT_REST = 100
/** A host counts as one that gives from so many pages on. */
export const GIVING_PAGES = 10
const HOSTS_PER_GIVING = 2
const VERSION = 1

interface SiteCount {
  /** Hashes of host names. */
  readonly hosts: Set<number>
  giving: number
  isFull: boolean
}

/** Name of the part of the crawl's memory. */
export const SITES_PART = 'core:sites'

/** Counts the hosts of each site. */
export class SiteHosts {
  readonly #sites = new Map<string, SiteCount>()
  readonly #most: number
  #changed = false

  constructor(most: number, atRest: readonly (string | undefined)[]) {
    this.#most = most
    for (const text of atRest)
      for (const [site, [giving = 0, ...hosts]] of Object.entries(savedOf(text))) {
        const known = this.#at(site)
        for (const host of hosts) known.hosts.add(host)
        known.giving = Math.max(known.giving, giving)
        known.isFull = true
      }
  }

  /** Counts `hostname` where a link may lead to it; says whether it may. */
  admit(hostname: string): boolean {
    if (this.#most === Infinity || isAddress(hostname)) return true
    const site = this.#at(siteOf(hostname))
    const key = textHash(hostname)
    if (site.hosts.has(key)) return true
    if (site.hosts.size >= this.#most + HOSTS_PER_GIVING * site.giving) {
      this.#changed ||= !site.isFull
      site.isFull = true
      return false
    }
    site.hosts.add(key)
    return true
  }

  /** A host has given its tenth page. */
  gives(hostname: string): void {
    const site = this.#at(siteOf(hostname))
    site.giving++
    this.#changed ||= site.isFull
  }

  /** The memory as JSON text, when it changed. */
  changedText(): string | undefined {
    if (!this.#changed) return undefined
    this.#changed = false
    const full = [...this.#sites].filter(([, { isFull }]) => isFull).slice(-MAX_FULL_AT_REST)
    return JSON.stringify([VERSION, Object.fromEntries(full.map(([site, { giving, hosts }]) => [site, [giving, ...hosts]]))])
  }

  /** What `changedText` gave was not written after all. */
  notWritten(): void {
    this.#changed = true
  }

  #at(name: string): SiteCount {
    const known = this.#sites.get(name)
    if (known !== undefined) {
      this.#sites.delete(name)
      this.#sites.set(name, known)
      return known
    }
    if (this.#sites.size >= MAX_SITES)
      for (const oldest of this.#sites.keys()) {
        this.#sites.delete(oldest)
        break
      }
    const made = { hosts: new Set<number>(), giving: 0, isFull: false }
    this.#sites.set(name, made)
    return made
  }
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
}

function savedOf(text: string | undefined): Readonly<Record<string, readonly number[]>> {
  try {
    const [version, saved] = JSON.parse(text ?? '[0]') as [number, Readonly<Record<string, readonly number[]>>?]
    return version === VERSION && saved !== undefined ? saved : {}
  } catch {
    return {}
  }
}
