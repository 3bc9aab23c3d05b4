// What belongs to the crawl, who gets its headers, and who may be at a private address: from seeds, the spider's scope, and the hosts that joined in earlier
// runs.
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { MemoryParts } from '../ports/frontier-reader.ts'
import type { Memories } from '../hosts/memories.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { compileScope, joinedOf, plainHost, scopeAtRest } from '../url/scope.ts'
import { KnownPairs } from '../discovery/known-pairs.ts'
import { Discoveries, type DiscoveryParts } from '../discovery/discovery.ts'
import { seedOriginsIn } from '../discovery/seed-origins.ts'
import { Headers } from '../exchange/headers.ts'
import { PrivateRights } from '../exchange/private-rights.ts'
import type { Request } from '../ports/request.ts'
import { chanceOf } from '../run/run.ts'
import type { Settings } from '../run/settings.ts'

/** What decides on it. */
export interface ScopeParts {
  readonly settings: Settings
  readonly hooks: CrawlHooks
  readonly sees: DiscoveryParts['sees']
  /** Open: hosts that join are remembered there. */
  readonly memories: Memories
  /** Seeds that a function yielded in earlier runs, and those that were added: a URL of each origin. */
  readonly earlier: readonly string[]
}

/** The bounds of a crawl. */
export interface Bounds {
  readonly discoveries: Discoveries
  readonly headers: Headers
  readonly privateRights: PrivateRights
  /** Seeds that were read later: their hosts belong to the crawl as well. */
  takeSeeds(urls: readonly string[]): void
  /** `request` is about to be sent: it may be a seed that only another process has read, or what a seed redirected to elsewhere. */
  meets(request: Request): void
  /** Other processes wrote this into their crawl memories: hosts that joined the scope there belong to the crawl here. */
  hears(crawlMemories: readonly MemoryParts[]): void
}

/** The scope of a crawl, as those use it who discover and who ask. `seeds`: a URL of each origin. */
export function crawlScope(seeds: readonly string[], parts: ScopeParts): Bounds {
  const { settings, memories, sees } = parts
  const { spider, hostKeying, codec, dropped } = settings
  keepHiddenNames(parts)
  const urls = [...seeds, ...parts.earlier]
  const hosts = spider.scope?.hosts ?? []
  const named = urls.map((url) => hostKeyOf(url, hostKeying))
  memories.core.scope = scopeAtRest(spider.scope ?? {}, { dropped: dropped.names, seedHosts: named })
  const scope = compileScope(spider.scope ?? {}, [...named, ...joinedOf(memories.core.scopeHosts, named)], (hostKey) => {
    memories.core.scopeHosts.push(hostKey)
  })
  const isDocument = (handler: string): boolean => settings.documents.has(handler)
  const now = (): number => settings.clock.now()
  const seed = Math.floor(chanceOf(`${settings.randomSeed}\nknown pairs`) * 2 ** 32)
  // What is from an earlier term is forgotten: the store may be another one since, or an older one.
  const known = new KnownPairs(() => seed + (settings.frontier.sharing?.tenure?.term() ?? 0))
  const meant = new Set([...urls.map((url) => hostKeyOf(url, 'host')), ...hosts.map(plainHost)])
  const headers = new Headers(settings, { seeds: urls, hosts })
  const privateRights = new PrivateRights(settings, meant)
  const takeSeeds = (later: readonly string[]): void => {
    for (const url of later) {
      scope.takeSeed(hostKeyOf(url, hostKeying))
      headers.takeSeed(url)
      privateRights.takeSeed(hostKeyOf(url, 'host'))
    }
  }
  return {
    discoveries: new Discoveries(parts.hooks, scope, { keying: hostKeying, codec, dropped, now, sees, isDocument, known }),
    headers,
    privateRights,
    takeSeeds,
    meets(request) {
      if (request.depth === 0 && request.redirectedFrom !== undefined && !isDocument(request.handler))
        scope.admitTarget(request.url, request.hostKey)
      if (typeof spider.seeds === 'function' && isSeed(request) && !isDocument(request.handler)) takeSeeds([request.url])
    },
    hears(crawlMemories) {
      takeSeeds(crawlMemories.flatMap((parts) => seedOriginsIn(parts, settings)))
      for (const hostKey of memories.heard(crawlMemories)) scope.takeJoined(hostKey)
    },
  }
}

/** Neither a link of a page, nor listed by a document, nor the target of a redirect. */
function isSeed({ depth, parent, redirectedFrom }: Request): boolean {
  return depth === 0 && parent === undefined && redirectedFrom === undefined
}

/** What was hidden in an earlier run stays so. */
function keepHiddenNames({ settings, memories: { core } }: ScopeParts): void {
  const { names } = settings.codec.current
  if (names.length > 0) core.secretParameters = names
}
