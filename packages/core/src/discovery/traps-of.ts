// The traps of a run, put together from its settings and from what the store remembers of earlier runs.
import type { CrawlInfo } from '../crawl-info.ts'
import type { Memories } from '../hosts/memories.ts'
import { SiteHosts, SITES_PART } from '../traps/site-hosts.ts'
import { Traps } from '../traps/traps.ts'
import { hostKeyOf, hostnameOf } from '../url/host-key.ts'
import type { Settings } from '../run/settings.ts'

/** What an earlier run left, and what this one begins with. */
interface Known {
  /** Their URLs. */
  readonly seeds: readonly string[]
  /** Open: the hosts of sites are remembered there. */
  readonly memories: Memories
  readonly info: CrawlInfo
}

/** Puts them together. */
export function trapsOf(
  { spider, clock, discoveryLimits: limits }: Settings,
  { seeds, memories, info }: Known,
  problem: (message: string) => void,
): Traps {
  const sites = new SiteHosts(
    limits.maxHostsPerSite,
    info.crawlMemories.map((parts) => parts[SITES_PART]),
  )
  memories.sites = sites
  const named = [...seeds, ...(spider.scope?.hosts ?? []).map((host) => `http://${host}/`)]
  return new Traps({
    limits,
    accepted: memories.accepted,
    sites,
    named: new Set(named.map((url) => hostnameOf(hostKeyOf(url, 'host')))),
    now: () => clock.now(),
    problem,
  })
}
