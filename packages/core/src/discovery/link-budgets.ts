// How many new URLs the pages of a host may add, and how many hosts links may add below one registrable domain.
//
// A budget grows with what a host has given (discovery-limits.ts). What is beyond it is not followed, but counted under a pattern that the user can accept:
// `shop.example/**`, or `*.shop.example`.
import type { LiveHost } from '../hosts/live-host.ts'
import { fullPattern, type ClosedPattern, urlsLeft, type DiscoveryLimits, type Given } from '../ports/discovery-limits.ts'
import { hostnameOf, siteOf } from '../url/host-key.ts'

/** Everything of a host. */
const WHOLE_HOST = '/**'
/** Budgets of one host that are remembered: its own, and those of the sites that it links to. */
const MAX_MET = 64

/** What the budgets need of the crawl around them. */
export interface BudgetWorld {
  readonly limits: DiscoveryLimits
  /** Patterns that the user opened. */
  readonly accepted: ReadonlySet<string>
  readonly sites: SiteHosts
  /** Hosts that the user named, by host name: they are no discovery. */
  readonly named: Set<string>
  now(): number
  problem(message: string): void
}

/** A host as far as its budgets are concerned. */
export type BudgetedHost = Pick<LiveHost, 'key' | 'pendingLinks'> & {
  readonly core: { gave?: Given; met?: ClosedPattern[] }
}

/** Decides which links are not followed though they are in scope. */
export class LinkBudgets {
  readonly #world: BudgetWorld

  constructor(world: BudgetWorld) {
    this.#world = world
  }

  /** A seed names a host. */
  takeSeed(hostname: string): void {
    this.#world.named.add(hostname)
  }

  /** How many new URLs the next page of `host` may add. */
  mayAdd(host: BudgetedHost): number {
    const { limits, accepted } = this.#world
    if (accepted.size > 0 && accepted.has(host.key + WHOLE_HOST)) return Infinity
    return Math.min(limits.maxUrlsPerPage, this.#left(host))
  }

  /** Why a new link from a page of `host` to `hostKey` is not followed. */
  refusal(host: BudgetedHost, hostKey: string): 'link-budget' | undefined {
    if (hostKey === host.key) return undefined
    const { named, sites, accepted } = this.#world
    const hostname = hostnameOf(hostKey)
    if (named.has(hostname) || sites.admit(hostname)) return undefined
    const pattern = `*.${siteOf(hostKey)}`
    if (accepted.has(pattern)) return undefined
    this.#count(host, { pattern, reason: 'new-hosts' }, 1)
    return 'link-budget'
  }

  /** A page was handled: what it gave, its links that are about to be added, and how many were beyond what it may add. */
  handled(host: BudgetedHost, { items, links, overBudget }: Record<'items' | 'links' | 'overBudget', number>): void {
    host.pendingLinks += links
    if (overBudget > 0) this.#count(host, { pattern: WHOLE_HOST, reason: 'new-urls' }, overBudget)
    const given = (host.core.gave ??= { pages: 0, items: 0, added: 0 })
    given.pages++
    given.items += items
  }

  #left(host: BudgetedHost): number {
    const { gave = { pages: 0, items: 0, added: 0 } } = host.core
    return Math.max(0, urlsLeft(gave, this.#world.limits) - host.pendingLinks)
  }

  #count(host: BudgetedHost, { pattern, reason }: Pick<ClosedPattern, 'pattern' | 'reason'>, count: number): void {
    const met = (host.core.met ??= [])
    const known = met.find((each) => each.pattern === pattern)
    if (known !== undefined) known.refused += count
    if (known !== undefined || met.length >= MAX_MET) return
    met.push({ pattern, reason, pages: host.core.gave?.pages ?? 0, refused: count, since: this.#world.now() })
    const why = reason === 'new-urls' ? NEW_URLS : 'links lead to more and more hosts of one domain'
    this.#world.problem(
      `links to ${fullPattern(host.key, pattern)} are not followed: ${why}; to follow them, accept this pattern and have the pages that have them visited again`,
    )
  }
}

const NEW_URLS = 'its pages link to more new URLs than a page may add, or than they have earned'

// How many host names links may add below one registrable domain: a farm of aliases (`a1.trap.test`, `a2.trap.test`, …) has no end of them.
//
// A site may have 200 hosts. Those of seeds and of the scope do not count, and neither do ports. Each process counts for itself, and anew in each run.

/** Sites that are counted at once; those longest not heard of are forgotten. */
const MAX_SITES = 10_000

/** Counts the hosts of each site. */
export class SiteHosts {
  /** Their host names. */
  readonly #sites = new Map<string, Set<string>>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Counts `hostname` where a link may lead to it; says whether it may. */
  admit(hostname: string): boolean {
    if (this.#most === Infinity) return true
    const name = siteOf(hostname)
    const hosts = this.#sites.get(name) ?? new Set<string>()
    this.#sites.delete(name)
    this.#sites.set(name, hosts)
    const [oldest = ''] = this.#sites.keys()
    if (this.#sites.size > MAX_SITES) this.#sites.delete(oldest)
    if (!hosts.has(hostname) && hosts.size >= this.#most) return false
    hosts.add(hostname)
    return true
  }
}
