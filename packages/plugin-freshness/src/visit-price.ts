// How the visits of a host are split over its pages: so that changes are seen as soon as possible on average.
//
// A change waits for half an interval. Of pages with the rates λ and f visits an hour each, the sum of λ/2f is least for a given number of visits where
// each more visit is worth the same, λ/2f² = price: f = √(λ/2·price). That is the problem of Azar et al. 2018 ("Tractable near-optimal policies for crawling")
// and Kolobov et al. 2019 with the delay of each change as the cost, which has a closed form, and never gives a page up. As a rule for one page: it is due when
// the changes to be expected since its last visit reach λ/f = √(2·price·λ), whatever they come from: time, a sign, or a burst.

/** Changes an hour that are to be expected of a page: those that only its visits show, and all. */
export interface PageRates {
  readonly own: number
  readonly all: number
}

/** Visits an hour: of all pages, and the least and the most of one. */
export interface VisitBounds {
  readonly budget: number
  readonly least: number
  readonly most: number
}

const HALVINGS = 40

/** What one more visit has to be worth, in hours of delay, so that the visits of these pages are those of the budget. */
export function visitPrice(pages: readonly PageRates[], { budget, least, most }: VisitBounds): number {
  const roots = pages.map(({ own, all }) => own / Math.sqrt(2 * all))
  let [low, high] = [-30, 30]
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2
    const scale = Math.exp(-middle / 2)
    let visits = 0
    for (const root of roots) visits += Math.min(most, Math.max(least, root * scale))
    if (visits > budget) low = middle
    else high = middle
  }
  return Math.exp(high)
}

/** Changes to be expected since the last visit at which a page is due. */
export function dueChanges(all: number, price: number): number {
  return Math.sqrt(2 * price * all)
}
