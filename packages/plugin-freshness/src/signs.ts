// Signs that a page has changed, such as the `lastmod` of a sitemap: what they are worth at a host is learned from the pages that were visited for them.
//
// Busa-Fekete et al. 2025 weigh such signals by their precision. Here it is the share of pages that had changed beyond those that would have by their own rate,
// less a standard deviation: a host that says of every page that it has changed says nothing, and costs nothing.

/** Of pages with a sign: how many were visited, and how many more of them had changed than by themselves. Plain JSON. */
export interface Signs {
  visited: number
  hit: number
}

export const NO_SIGNS: Readonly<Signs> = { visited: 0, hit: 0 }

/** Taken for granted of a host whose signs are not known, as of so many visits. */
const USUAL_SHARE = 0.5
const WORTH = 2
/** What was seen before counts half from then on. */
const MOST_VISITS = 200

/** A page with a sign was visited. `own`: the probability that it had changed by itself. */
export function sawSign(signs: Signs, changed: boolean, own: number): void {
  signs.visited++
  signs.hit += Number(changed) - own
  if (signs.visited <= MOST_VISITS) return
  signs.visited /= 2
  signs.hit /= 2
}

/** Probability that a page with a sign has changed, beyond its own. */
export function signShare({ visited, hit }: Signs): number {
  return Math.max(0, (hit + WORTH * USUAL_SHARE - Math.sqrt(visited) / 2) / (visited + WORTH))
}
