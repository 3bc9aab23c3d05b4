// Servers that refuse: each gate serves a request or says how long until it would. Pure arithmetic over the moments of arrival.

/** Decides on each request in the order of arrival. */
export interface Gate {
  /** 0 = served; else refused: ms until one would be served, as far as the gate knows. `sinceMs` never goes back. */
  take(sinceMs: number): number
}

/** Requests per second that a server takes at a moment. */
export type Capacity = (sinceMs: number) => number

/** A token bucket, full at first. `penalising`: a refused request costs a token too, down to an empty bucket. */
export function bucketGate(
  capacity: Capacity,
  burst: number,
  { penalising = false }: { readonly penalising?: boolean } = {},
): Gate {
  let tokens = burst
  let filledAt = 0
  return {
    take(sinceMs) {
      const rps = capacity(sinceMs)
      tokens = Math.min(burst, tokens + ((sinceMs - filledAt) * rps) / 1_000)
      filledAt = sinceMs
      if (tokens < 1 - 1e-9) {
        const waitMs = rps > 0 ? ((1 - tokens) / rps) * 1_000 : 60_000
        if (penalising) tokens = Math.max(0, tokens - 1)
        return Math.max(1, waitMs)
      }
      tokens -= 1
      return 0
    },
  }
}

/** So many requests in each window of the wall clock. */
export function windowGate(requests: number, windowMs: number): Gate {
  let current = -1
  let taken = 0
  return {
    take(sinceMs) {
      const window = Math.floor(sinceMs / windowMs)
      if (window !== current) [current, taken] = [window, 0]
      if (taken >= requests) return (window + 1) * windowMs - sinceMs
      taken++
      return 0
    },
  }
}

/** Refuses this share of requests whatever our rate, and hands the rest to `gate`. */
export function randomGate(ratio: number, random: () => number, gate: Gate): Gate {
  return { take: (sinceMs) => (random() < ratio ? 1_000 : gate.take(sinceMs)) }
}

/** Serves everything. */
export const OPEN_GATE: Gate = { take: () => 0 }

/** A capacity that changes at once at given moments: `[sinceMs, rps]`, ascending, the first at 0. */
export function steps(...parts: readonly (readonly [sinceMs: number, rps: number])[]): Capacity {
  return (sinceMs) => parts.findLast(([at]) => sinceMs >= at)?.[1] ?? 0
}
