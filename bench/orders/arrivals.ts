// When an order was felt at a site, from the moments at which requests arrived there. Epoch ms, in order of time; pure.

/** The last request that arrived after `from`; `from` itself where none did. */
export function lastArrival(arrivals: readonly number[], from: number): number {
  return Math.max(from, arrivals.at(-1) ?? from)
}

/** The first request that arrived at `from` or later; undefined where none did. */
export function firstArrival(arrivals: readonly number[], from: number): number | undefined {
  return arrivals.find((at) => at >= from)
}

/** The last request that came sooner than `gapMs` after the one before it; `from` where none did after it. */
export function lastTooSoon(arrivals: readonly number[], from: number, gapMs: number): number {
  return Math.max(from, arrivals.findLast((at, n) => n > 0 && at - (arrivals[n - 1] ?? 0) < gapMs) ?? from)
}
