// How much a host takes: each law as a gate that serves a request or says how long until it would serve one.
import type { CapacityLaw } from './capacity-law.ts'
import { rateFactor } from './rate-factor.ts'

/** What a client could be told of a gate: so many of `quota` are left, and in `resetMs` all are there again. */
export interface RemainingQuota {
  readonly quota: number
  readonly windowMs: number
  readonly remaining: number
  readonly resetMs: number
}

/** Decides on each request, in the order of their arrival. */
export interface CapacityGate {
  /** 0 = served, and counted; else refused: ms until one would be served. `sinceMs` (since the web was started) never goes back. */
  take(sinceMs: number): number
  /** What is left after the last request; undefined where the law has no quota. */
  allowance?(sinceMs: number): RemainingQuota
  /** Ms until a served request is answered, when the work of it takes `workMs`. Default: `workMs`. */
  answerMs?(sinceMs: number, workMs: number): number
}

/** A gate that keeps to `law`; without a law it serves everything. */
export function capacityGate(law: CapacityLaw | undefined): CapacityGate {
  if (law === undefined) return { take: () => 0 }
  if (law.law === 'bucket' || law.law === 'penalising') return bucket(law)
  if (law.law === 'window') return fixedWindow(law.requests, law.seconds * 1_000)
  return law.law === 'sliding' ? slidingWindow(law.requests, law.seconds * 1_000) : servers(law)
}

function bucket(law: Extract<CapacityLaw, { law: 'bucket' | 'penalising' }>): CapacityGate {
  const { perSecond, burst } = law
  const lowest = law.law === 'penalising' ? -(law.floor ?? burst) : undefined
  const factor = rateFactor(law)
  let tokens = burst
  let filled = 0
  const fill = (sinceMs: number): void => {
    const worth = factor.integral(sinceMs)
    tokens = Math.min(burst, tokens + ((worth - filled) * perSecond) / 1_000)
    filled = worth
  }
  return {
    take(sinceMs) {
      fill(sinceMs)
      // A client that waits exactly as long as it was told must not be refused for the last bit of a fraction.
      if (tokens >= 1 - 1e-6) {
        tokens -= 1
        return 0
      }
      if (lowest !== undefined) tokens = Math.max(lowest, tokens - 1)
      return factor.until(sinceMs, ((1 - tokens) / perSecond) * 1_000)
    },
    allowance: (sinceMs) => ({
      quota: burst,
      windowMs: (burst / perSecond) * 1_000,
      remaining: Math.max(0, Math.floor(tokens)),
      resetMs: factor.until(sinceMs, ((burst - tokens) / perSecond) * 1_000),
    }),
  }
}

function fixedWindow(requests: number, windowMs: number): CapacityGate {
  let window = -1
  let taken = 0
  const restMs = (sinceMs: number): number => (window + 1) * windowMs - sinceMs
  return {
    take(sinceMs) {
      const current = Math.floor(sinceMs / windowMs)
      if (current !== window) {
        window = current
        taken = 0
      }
      if (taken >= requests) return restMs(sinceMs)
      taken++
      return 0
    },
    allowance: (sinceMs) => ({ quota: requests, windowMs, remaining: requests - taken, resetMs: restMs(sinceMs) }),
  }
}

function slidingWindow(requests: number, windowMs: number): CapacityGate {
  const served = new Recent(requests)
  return {
    take(sinceMs) {
      const oldest = served.oldest()
      if (oldest + windowMs > sinceMs) return oldest + windowMs - sinceMs
      served.add(sinceMs)
      return 0
    },
    allowance(sinceMs) {
      const remaining = served.atOrBefore(sinceMs - windowMs)
      return { quota: requests, windowMs, remaining, resetMs: Math.max(0, served.newest() + windowMs - sinceMs) }
    },
  }
}

function servers(law: Extract<CapacityLaw, { law: 'servers' }>): CapacityGate {
  const factor = rateFactor(law)
  const freeAt = Array.from({ length: law.servers }, () => 0)
  return {
    take: () => 0,
    answerMs(sinceMs, workMs) {
      let first = 0
      for (let n = 1; n < freeAt.length; n++) if ((freeAt[n] ?? 0) < (freeAt[first] ?? 0)) first = n
      const beginsAt = Math.max(sinceMs, freeAt[first] ?? 0)
      const endsAt = beginsAt + factor.until(beginsAt, workMs)
      freeAt[first] = endsAt
      return endsAt - sinceMs
    },
  }
}

/** The last `size` moments: a ring. Before that many have been, the oldest is long ago. */
export class Recent {
  readonly #moments: Float64Array
  #next = 0

  constructor(size: number) {
    this.#moments = new Float64Array(size).fill(-Infinity)
  }

  add(moment: number): void {
    this.#moments[this.#next] = moment
    this.#next = (this.#next + 1) % this.#moments.length
  }

  oldest(): number {
    return this.#moments[this.#next] ?? -Infinity
  }

  newest(): number {
    return this.#moments.at(this.#next - 1) ?? -Infinity
  }

  clear(): void {
    this.#moments.fill(-Infinity)
  }

  /** How many of them are at or before `moment`. */
  atOrBefore(moment: number): number {
    return this.#moments.reduce((count, kept) => (kept <= moment ? count + 1 : count), 0)
  }
}

// What a host says of its own limits in header fields, truly or not. Forms: draft-ietf-httpapi-ratelimit-headers (2025), its ancestors, and X-.

/**
 * Form of the fields. `draft`: RateLimit-Policy and RateLimit; `legacy`: RateLimit-Limit, -Remaining, -Reset (seconds); `x`: X-RateLimit-* with
 * the reset as epoch seconds; `lying`: as `draft`, with ten times the quota and always all of it left.
 */
export type RateLimitFields = 'draft' | 'legacy' | 'x' | 'lying'

/** Adds the fields for `allowance` to `fields`. `now`: epoch ms. */
export function addRateLimitFields(
  fields: Record<string, string>,
  form: RateLimitFields,
  said: RemainingQuota & { now: number },
): void {
  const { quota, windowMs, remaining, resetMs, now } = said
  const windowSeconds = Math.max(1, Math.ceil(windowMs / 1_000))
  const resetSeconds = Math.ceil(resetMs / 1_000)
  if (form === 'legacy') {
    fields['ratelimit-limit'] = String(quota)
    fields['ratelimit-remaining'] = String(remaining)
    fields['ratelimit-reset'] = String(resetSeconds)
  } else if (form === 'x') {
    fields['x-ratelimit-limit'] = String(quota)
    fields['x-ratelimit-remaining'] = String(remaining)
    fields['x-ratelimit-reset'] = String(Math.ceil((now + resetMs) / 1_000))
  } else {
    const factor = form === 'lying' ? 10 : 1
    fields['ratelimit-policy'] = `"default";q=${String(quota * factor)};w=${String(windowSeconds)}`
    fields['ratelimit'] = `"default";r=${String(form === 'lying' ? quota * factor : remaining)};t=${String(resetSeconds)}`
  }
}
