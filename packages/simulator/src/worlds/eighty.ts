// Eighty hosts behind token buckets of very different rates: who finds all of them, in a minute, with how many refusals.
import { seeded } from '../seeded.ts'
import { siteModel, type SiteModel } from '../site-model/site-model.ts'
import { logSpread, nameOf, readable } from './named-hosts.ts'

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
        name: nameOf('eighty', n, 2),
        pages: { kind: 'list', pages: Math.ceil(perSecond * SECONDS + burst) + 10, textBytes: 0 },
        latency: { law: 'uniform', minMs: middleMs / 2, maxMs: middleMs * 1.5 },
        capacity: { law: 'bucket', perSecond, burst },
        refusal: n % 2 === 0 ? { status: 429, retryAfter: 'seconds', retryAfterSeconds: 1 } : { status: 429 },
      }
    }),
  })
}
