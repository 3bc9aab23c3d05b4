// A pattern of URLs that is closed, as reports and the memory of hosts have it.

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
