// Links that were out of scope only because no seed had been redirected to their host yet: kept for the moment at which it joins the crawl.
//
// Which page is read first, that of a seed or one that links to where the seed leads, is chance, more so where another process asks the seed. So the links that
// lead to hosts of seeds' sites are asked about again when such a host joins. They are in RAM, and few: what is beyond the bound, or was met by a process that
// died, stays refused as any link out of scope.
import type { NewRequest } from '../request.ts'

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
