// When a host that was given up is asked again. Pure.
//
// Nobody is given up for ever: a shop that was sold, moved or rebuilt is back after a week, and a crawl that watches for months must see it. One
// request a day costs nobody anything; each one in vain doubles the interval, to a week at the most. One that failed where nobody else was heard may
// have met trouble of ours, and a single exchange cannot tell: it counts by half, so it takes two in a row to double the interval.

import type { Failure } from '../failure.ts'

const DAY_MS = 24 * 3_600_000
const MOST_DAYS = 7

/** What a probe came to. `doubtful`: in vain, perhaps by a fault of ours. */
export type ProbeEnd = 'answered' | 'in-vain' | 'doubtful'

/** Probes in vain after one more. */
export function probesAfter(probes: number, end: Exclude<ProbeEnd, 'answered'>): number {
  return probes + (end === 'doubtful' ? 0.5 : 1)
}

/** Ms from giving a host up, or from a probe in vain, to the next probe. `probes`: those in vain so far. */
export function probeIntervalMs(probes: number): number {
  return Math.min(MOST_DAYS, 2 ** Math.floor(probes)) * DAY_MS
}

/** Whether a failure says that the host is up, or that it is not; undefined: neither. A page that cannot be read, or kept, was sent by somebody. */
export function saysUp({ code, blame, sent }: Failure): boolean | undefined {
  if (blame === 'host') return false
  return (blame === 'url' && sent) || code === 'AVO_BODY_BUDGET' ? true : undefined
}
