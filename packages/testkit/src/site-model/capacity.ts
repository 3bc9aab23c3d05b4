// How much a host takes: each law as a gate that serves a request or says how long until it would serve one.
import type { CapacityLaw } from './host-spec.ts'

/** Decides on each request, in the order of their arrival. */
export interface CapacityGate {
  /** 0 = served, and counted; else refused: ms until one would be served. `sinceMs` (since the web was started) never goes back. */
  take(sinceMs: number): number
}

/** A gate that keeps to `law`; without a law it serves everything. */
export function capacityGate(law: CapacityLaw | undefined): CapacityGate {
  if (law === undefined) return { take: () => 0 }
  return law.law === 'bucket' ? bucket(law.perSecond, law.burst) : fixedWindow(law.requests, law.seconds * 1_000)
}

function bucket(perSecond: number, burst: number): CapacityGate {
  let tokens = burst
  let filledAt = 0
  return {
    take(sinceMs) {
      tokens = Math.min(burst, tokens + ((sinceMs - filledAt) * perSecond) / 1_000)
      filledAt = sinceMs
      // A client that waits exactly as long as it was told must not be refused for the last bit of a fraction.
      if (tokens < 1 - 1e-9) return ((1 - tokens) / perSecond) * 1_000
      tokens -= 1
      return 0
    },
  }
}

function fixedWindow(requests: number, windowMs: number): CapacityGate {
  let window = -1
  let taken = 0
  return {
    take(sinceMs) {
      const current = Math.floor(sinceMs / windowMs)
      if (current !== window) {
        window = current
        taken = 0
      }
      if (taken >= requests) return (current + 1) * windowMs - sinceMs
      taken++
      return 0
    },
  }
}
