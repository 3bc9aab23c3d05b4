// Links that were out of scope only because no seed had been redirected to their host yet: kept for the moment at which it joins the crawl.
//
// Which page is read first, that of a seed or one that links to where the seed leads, is chance, more so where another process asks the seed. So the links that
// lead to hosts of seeds' sites are asked about again when such a host joins. They are in RAM, and few: what is beyond the bound, or was met by a process that
// died, stays refused as any link out of scope. They are offered once the redirect is in the store: what other processes wrote of it comes with leases, before
// the hosts that were leased are used, so whoever visits a page that such a host gained knows that the host has joined.
import type { NewRequest } from '../ports/request.ts'
import { offerRequests, type Run } from '../run/run.ts'

/** Of all hosts together: a footer that links to a sister site has one link, whichever page it is on. */
const MAX_LINKS = 1_000

/** Makes a request of such a link, if everything else lets it be followed. */
type Follow = () => NewRequest | undefined

/** Links that wait for their hosts to join. */
export class LateLinks {
  readonly #links = new Map<string, { readonly hostKey: string; readonly follow: Follow }>()

  /** `name`: the same for each occurrence of a link. */
  keep(hostKey: string, name: string, follow: Follow): void {
    if (this.#links.size < MAX_LINKS) this.#links.set(name, { hostKey, follow })
  }

  /** The requests of hosts that have joined; they are kept no longer. */
  taken(hostKeys: readonly string[]): readonly NewRequest[] {
    const joined = [...this.#links].filter(([, { hostKey }]) => hostKeys.includes(hostKey))
    for (const [name] of joined) this.#links.delete(name)
    return joined.flatMap(([, { follow }]) => follow() ?? [])
  }
}

/** Offers the links that waited for hosts that have joined. */
export function offerLateLinks({ lateLinks }: { lateLinks(): readonly NewRequest[] }, run: Run): void {
  const requests = lateLinks()
  if (requests.length > 0) void run.besides.begin(() => offerRequests('links to hosts that joined', requests, run))
}
