// The world of the great comparison: 800 sites with 20 URLs each, most well, some slow, some dead, a quarter with little to spare.
import { pick, seeded, shuffled, type Chance } from '../seeded.ts'
import type { DeathStyle, HostSpec } from '../site-model/host-spec.ts'
import { siteModel, type SiteModel } from '../site-model/site-model.ts'
import { logSpread, nameOf, readable } from './named-hosts.ts'

const SITES = 800
const URLS_A_SITE = 20
/** Sites by what they are; the median of a site's latency is spread over its range by logarithm. */
const KINDS = [
  { count: 480, fromMs: 200, toMs: 800 },
  { count: 200, fromMs: 800, toMs: 3_000 },
  { count: 80, fromMs: 3_000, toMs: 15_000 },
]
const DEATHS: readonly DeathStyle[] = [
  'refuse',
  'blackhole',
  'hang',
  'stall',
  'drip',
  'reset',
  'truncate',
  'endless',
  'dns-not-found',
  'tls-certificate',
]
/** Every fourth live site has a token bucket; ten of the other quick ones ban. */
const BUCKET_RATIO = 0.25
const BANNING = 10

/** What of the world of eight hundred sites may differ. */
export interface EightHundredOptions {
  readonly seed?: string
  /** Order of the seeds: site after site, or mixed. Default `clustered`. */
  readonly seedOrder?: 'clustered' | 'shuffled'
}

/**
 * 800 sites with 20 URLs each, all of them seeds: 60 % answer in 0.2 to 0.8 s, 25 % in 0.8 to 3 s, 10 % in 3 to 15 s, 5 % are dead in ten ways.
 *
 * A quarter of the live ones have token buckets (0.5 to 20 requests a second, bursts of 1 to 10, half with Retry-After), and ten ban for ten
 * minutes a client that sends more than 12 to 15 requests in five seconds: two a second are well, ten are not. Sites differ, but by the seed alone.
 */
export function eightHundred({ seed = 'eight-hundred', seedOrder = 'clustered' }: EightHundredOptions = {}): SiteModel {
  const live = KINDS.flatMap((kind) => Array.from({ length: kind.count }, () => kind))
  const chance = seeded(seed, 'sites')
  const sites: Omit<HostSpec, 'name'>[] = live.map(({ fromMs, toMs }, n) => ({
    pages: { kind: 'list', pages: URLS_A_SITE },
    latency: { law: 'lognormal', medianMs: Math.round(logSpread(fromMs, toMs, chance(n))), spread: 0.25 },
  }))
  // By shuffled place, so that the shares are exact and the kinds mixed.
  const places = shuffled(Array.from(sites.keys()), `${seed} buckets`)
  const bucketed = new Set(places.slice(0, sites.length * BUCKET_RATIO))
  const quick = places.slice(sites.length * BUCKET_RATIO).filter((n) => n < (KINDS[0]?.count ?? 0))
  const banning = new Set(quick.slice(0, BANNING))
  const limited = sites.map((site, n) => {
    if (bucketed.has(n)) return { ...site, ...bucketOf(seeded(seed, 'bucket', n), n) }
    return banning.has(n) ? { ...site, ban: banOf(n) } : site
  })
  const dead = Array.from({ length: SITES - sites.length }, (_, n): Omit<HostSpec, 'name'> => {
    return { pages: { kind: 'list', pages: URLS_A_SITE }, death: pick(DEATHS, () => (n % DEATHS.length) / DEATHS.length, n) }
  })
  const hosts = shuffled([...limited, ...dead], `${seed} order`).map((site, n) => ({ name: nameOf('site', n, 3), ...site }))
  return siteModel({ seed, hosts, seedOrder })
}

function bucketOf(chance: Chance, n: number): Pick<HostSpec, 'capacity' | 'refusal'> {
  return {
    capacity: { law: 'bucket', perSecond: readable(logSpread(0.5, 20, chance(0))), burst: 1 + Math.floor(chance(1) * 10) },
    refusal: n % 2 === 0 ? { status: 429, retryAfter: 'seconds' } : { status: 429 },
  }
}

function banOf(n: number): NonNullable<HostSpec['ban']> {
  return { requests: 12 + (n % 4), windowSeconds: 5, banSeconds: 600, status: 403 }
}
