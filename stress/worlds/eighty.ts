// Eighty hosts behind token buckets of very different rates: who finds all of them, in a minute, with how many refusals.
import { seeded, siteModel, type SiteModel } from '@avocet/simulator'
import { nameOf } from './troubled.ts'

const HOSTS = 80
/** Rates of the world at scale 1, requests a second. */
const RATES = { from: 1, to: 50 }
/** For how long the pages last at the full rate. */
const SECONDS = 90

/**
 * 80 hosts, rates spread by logarithm over `scale` × 1 to 50 requests a second, bursts of max(2, rate), half with Retry-After 1, latency of 20 to
 * 500 ms give or take the half. Scale 0.2 is the test of control, scale 1 one of speed as well.
 */
export function eighty(scale: number, seed: string = 'eighty'): SiteModel {
  const chance = seeded(seed, 'latency')
  return siteModel({
    seed,
    hosts: Array.from({ length: HOSTS }, (_, n) => {
      const perSecond = readable(scale * logSpread(RATES.from, RATES.to, n / (HOSTS - 1)))
      const burst = Math.max(2, perSecond)
      const middleMs = readable(logSpread(20, 500, chance(n)))
      return {
        name: nameOf('eighty', n),
        pages: { kind: 'list', pages: Math.ceil(perSecond * SECONDS + burst) + 10, textBytes: 0 },
        latency: { law: 'uniform', minMs: middleMs / 2, maxMs: middleMs * 1.5 },
        capacity: { law: 'bucket', perSecond, burst },
        refusal: n % 2 === 0 ? { status: 429, retryAfter: 'seconds', retryAfterSeconds: 1 } : { status: 429 },
      }
    }),
  })
}

/** The point of the way from `from` to `to`, both above 0, that `share` (0 to 1) of the logarithm makes. */
function logSpread(from: number, to: number, share: number): number {
  return from * (to / from) ** share
}

/** `value` with three digits: descriptions are to be read. */
function readable(value: number): number {
  return Number(value.toPrecision(3))
}
