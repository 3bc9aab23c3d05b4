// How long the outages of one host last, learned from those that are over: when the next one is worth a probe. Pure.
//
// Mean and mean deviation, as TCP estimates its round trips (Jacobson 1988): two numbers a host, and a host that changes its ways is followed within
// a few outages. Probes go from mean − deviation to mean + 2 deviations, two thirds of a deviation apart: one that is too early costs a request,
// one that is late costs all the pages that could have been fetched. Rejected: a list of past lengths and its quantiles; eight numbers found nothing sooner.

/** Ms. */
export interface OutageLengths {
  readonly meanMs: number
  readonly spreadMs: number
}

/** Share of what is new. TCP's 1/8 and 1/4 are for thousands of samples; a host gives a few. */
const GAIN = 0.25
const FIRST_AIM = -1
const LAST_AIM = 2
const STEP = 2 / 3

/** After one more outage of `lengthMs`. */
export function lengthsAfter(known: OutageLengths | undefined, lengthMs: number): OutageLengths {
  if (known === undefined) return { meanMs: Math.round(lengthMs), spreadMs: Math.round(lengthMs / 2) }
  const error = lengthMs - known.meanMs
  return {
    meanMs: Math.round(known.meanMs + GAIN * error),
    spreadMs: Math.round(known.spreadMs + GAIN * (Math.abs(error) - known.spreadMs)),
  }
}

/** The next moment, ms since the outage began, at which it is likely to be over; at least `leastMs`. Infinity: it is longer than those known. */
export function nextAimMs({ meanMs, spreadMs }: OutageLengths, leastMs: number): number {
  const last = meanMs + LAST_AIM * spreadMs
  if (leastMs > last) return Infinity
  const first = meanMs + FIRST_AIM * spreadMs
  const stepMs = STEP * spreadMs
  const steps = stepMs > 0 ? Math.ceil(Math.max(0, leastMs - first) / stepMs) : 0
  return Math.max(leastMs, first + steps * stepMs)
}
