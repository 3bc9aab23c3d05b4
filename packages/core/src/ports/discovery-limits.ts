// How many new URLs may come of a page, a host and a site, and the law by which that grows with what they have given; and which
// patterns of URLs are closed, as reports and the memory of hosts have them.
//
// A host may add min(50,000 + 100 × pages, 90,000) + 10 × (pages + items) URLs: as many as a sitemap may list before it has given anything. So a
// flood that nothing else stops ends at 90,000 + 10 × pages URLs, some 120 MB of store in its first ten minutes, while a healthy site, which adds one
// URL a page on the whole, is held up only if it is very large and yields no items.

/** Limits on new URLs. `Infinity` turns one off. */
export interface DiscoveryLimits {
  /** Maximum new URLs per page. Default 50,000. */
  readonly maxUrlsPerPage: number
  /** Maximum new URLs from the pages of a host before it has produced any page. Default 50,000. */
  readonly firstUrlsPerHost: number
  /** Additional URLs for each page that it produces. Default 100. */
  readonly urlsPerPage: number
  /** Cap on firstUrlsPerHost + urlsPerPage × pages. Default 90,000. */
  readonly maxUnpaidUrlsPerHost: number
  /** Additional URLs for each page and each item, beyond that cap. Default 10. */
  readonly urlsPerItem: number
  /** Maximum new URLs from documents of plugins on a host, such as its sitemaps. Default 1,000,000. */
  readonly maxListedUrlsPerHost: number
  /** Maximum host names under one registrable domain that links may add before its hosts have produced any page. Default 200. */
  readonly maxHostsPerSite: number
}

/** What the pages of a host have brought, in all runs. */
export interface Given {
  /** Pages that a handler accepted. */
  pages: number
  items: number
  /** URLs that were new. */
  added: number
  /** URLs that were new, from documents of plugins. Absent: none. */
  listed?: number
}

/** Counts URLs that were new: from a page they count against what its host may add, from a document against what documents of the host may list. */
export function countAdded(core: { gave?: Given }, { isListing = false }: { readonly isListing?: boolean }, added: number): void {
  if (isListing) {
    core.gave ??= { pages: 0, items: 0, added: 0 }
    core.gave.listed = (core.gave.listed ?? 0) + added
  } else if (core.gave) core.gave.added += added
}

/** How many more URLs a host may add. */
export function urlsLeft({ pages, items, added }: Given, limits: DiscoveryLimits): number {
  const { firstUrlsPerHost, urlsPerPage, maxUnpaidUrlsPerHost, urlsPerItem } = limits
  const unpaid = Math.min(firstUrlsPerHost + share(urlsPerPage, pages), Math.max(maxUnpaidUrlsPerHost, firstUrlsPerHost))
  return Math.max(0, unpaid + share(urlsPerItem, pages + items) - added)
}

/** A share without limit is one of nothing too. */
function share(each: number, count: number): number {
  return each === Infinity ? Infinity : each * count
}

/** How many more URLs documents on a host may list. */
export function listedLeft({ listed = 0 }: Partial<Given>, { maxListedUrlsPerHost }: DiscoveryLimits): number {
  return Math.max(0, maxListedUrlsPerHost - listed)
}

/**
 * Why a pattern is closed. `same-content`: its pages repeat what is known. `new-urls`, `new-hosts`: a page, a host or a site led to more new URLs or hosts than
 * its budget allows.
 */
type ClosedFor = 'same-content' | 'new-urls' | 'new-hosts'

/** A pattern that is closed, or of which only so much is followed. */
export interface ClosedPattern {
  /** Its URLs, with a placeholder where they differ; or the host or site whose budget was met. */
  readonly pattern: string
  /** Why. */
  readonly reason: ClosedFor
  /** Pages of it that were looked at. */
  readonly pages: number
  /** Links and waiting requests that were refused since. */
  refused: number
  /** Epoch ms. */
  readonly since: number
}

/** `/cal?d=*` of `shop.example` is `shop.example/cal?d=*`; a pattern of host names is whole. */
export function fullPattern(hostKey: string, pattern: string): string {
  return pattern.startsWith('/') ? hostKey + pattern : pattern
}
