// How often a page changes, from visits that say no more than "changed at least once since the last visit" or "did not".
//
// Changes come by chance (Poisson). The rates of the pages of one handler at a host are spread as a Gamma distribution, whose shape and scale are fitted to
// all of them (empirical Bayes, by expectation and maximisation). So a page that was seen twice has the rate of its like, and one that was seen often has its
// own. A change stands for as many as are to be expected in its interval where there was at least one: with the plain count a page that changes faster than
// it is visited looks like one that changes once a visit (Cho and Garcia-Molina, "Estimating frequency of change", 2003).

/** What the visits of a page saw. Hours, and visits that found it changed; a part of one where something else explains the rest. */
export interface Seen {
  changes: number
  /** Sum of the intervals in which it changed. */
  changedHours: number
  /** Sum of those in which it did not. */
  quietHours: number
}

/** Rates of the pages of a kind: a Gamma distribution with the mean `shape / hours`. */
export interface Prior {
  readonly shape: number
  readonly hours: number
}

/** One page changes every three days, the next one ten times as often: what is not known is not ruled out. */
export const FIRST_PRIOR: Prior = { shape: 0.7, hours: 50 }

const ROUNDS = 12

/** Changes an hour that are to be expected of a page. */
export function changeRate(seen: Seen, prior: Prior): number {
  return (prior.shape + changesOf(seen, prior)) / hoursOf(seen, prior)
}

/** Changes that there were, as far as they were seen and are to be expected behind those. */
function changesOf(seen: Seen, prior: Prior): number {
  const { changes, changedHours } = seen
  if (changes === 0) return 0
  const total = hoursOf(seen, prior)
  const each = changedHours / changes
  let expected = changes
  for (let round = 0; round < ROUNDS; round++) {
    const mean = (each * (prior.shape + expected)) / total
    expected = (changes * mean) / -Math.expm1(-mean)
  }
  return expected
}

function hoursOf({ changedHours, quietHours }: Seen, { hours }: Prior): number {
  return hours + changedHours + quietHours
}

/** Bounds of the shape: all pages are nearly the same, or most never change. */
const LEAST_SHAPE = 0.15
const MOST_SHAPE = 20

/** The distribution that fits the pages better than `prior`: one step of expectation and maximisation, of which a few are enough. */
export function fittedPrior(pages: readonly Seen[], prior: Prior): Prior {
  if (pages.length < 2) return prior
  let [sum, sumOfLogs] = [0, 0]
  for (const seen of pages) {
    const [shape, hours] = [prior.shape + changesOf(seen, prior), hoursOf(seen, prior)]
    sum += shape / hours
    sumOfLogs += digamma(shape) - Math.log(hours)
  }
  const mean = sum / pages.length
  const spread = Math.max(1e-6, Math.log(mean) - sumOfLogs / pages.length)
  // The shape of greatest likelihood, to 1.5 % (Minka 2002, "Estimating a Gamma distribution").
  const shape = (3 - spread + Math.sqrt((spread - 3) ** 2 + 24 * spread)) / (12 * spread)
  const bounded = Math.min(MOST_SHAPE, Math.max(LEAST_SHAPE, shape))
  return { shape: bounded, hours: bounded / mean }
}

/** Derivative of the logarithm of the Gamma function (Abramowitz and Stegun 6.3.5 and 6.3.18). */
function digamma(of: number): number {
  let [x, sum] = [of, 0]
  for (; x < 6; x++) sum -= 1 / x
  return sum + Math.log(x) - 1 / (2 * x) - 1 / (12 * x ** 2) + 1 / (120 * x ** 4)
}
