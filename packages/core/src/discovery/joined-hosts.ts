// Hosts that join the crawl while it runs: those that seeds redirect to, in this process or in another one. What other processes wrote of it comes with leases,
// before the hosts that were leased are used, so whoever visits a page that such a host gained knows that the host has joined.
import type { MemoryParts } from '../ports/frontier-reader.ts'
import type { NewRequest } from '../ports/request.ts'
import { offerRequests, type Run } from '../run/run.ts'

/** What knows which they are. */
export interface JoiningScope {
  /** Takes in what other processes wrote. */
  hears(crawlMemories: readonly MemoryParts[]): void
  /** Links to hosts that have joined since this was last asked, and that were refused before. */
  lateLinks(): readonly NewRequest[]
}

/** Tells the scope of them, and the frontier of the links that waited for them. */
export class JoinedHosts {
  readonly #run: Run
  readonly #scope: JoiningScope

  constructor(run: Run, scope: JoiningScope) {
    this.#run = run
    this.#scope = scope
  }

  /** Other processes wrote this. */
  hears(crawlMemories: readonly MemoryParts[]): void {
    this.#scope.hears(crawlMemories)
    this.offer()
  }

  /** Offers the links that waited. */
  offer(): void {
    const requests = this.#scope.lateLinks()
    if (requests.length > 0) void this.#run.besides.begin(() => offerRequests('links to hosts that joined', requests, this.#run))
  }
}

// Links that were out of scope only because no seed had been redirected to their host yet: kept for the moment at which it joins the crawl.
//
// Which page is read first, that of a seed or one that links to where the seed leads, is chance, more so where another process asks the seed. So the links that
// lead to hosts of seeds' sites are asked about again when such a host joins. They are in RAM, and few: what is beyond the bound, or was met by a process that
// died, stays refused as any link out of scope.

/** Of all hosts together: a footer that links to a sister site has one link, whichever page it is on. */
const MAX_LINKS = 1_000

/** Makes a request of such a link, if everything else lets it be followed. */
export type Follow = () => NewRequest | undefined

/** Links that wait for their hosts to join. */
export class LateLinks {
  readonly #byHost = new Map<string, Map<string, Follow>>()
  #count = 0

  /** `name`: the same for each occurrence of a link. */
  keep(hostKey: string, name: string, follow: Follow): void {
    const links = this.#byHost.get(hostKey) ?? new Map<string, Follow>()
    if (links.has(name) || this.#count >= MAX_LINKS) return
    this.#byHost.set(hostKey, links.set(name, follow))
    this.#count++
  }

  /** The requests of a host that has joined; they are kept no longer. */
  taken(hostKey: string): readonly NewRequest[] {
    const links = [...(this.#byHost.get(hostKey)?.values() ?? [])]
    this.#byHost.delete(hostKey)
    this.#count -= links.length
    return links.map((follow) => follow()).filter((request) => request !== undefined)
  }
}
