// Named worlds: the models that tests, examples, the demo and the benchmarks share.
import { pick, seeded, shuffled, type Chance } from '../seeded.ts'
import type { DeathStyle, HostSpec } from '../site-model/host-spec.ts'
import { siteModel, type SiteModel } from '../site-model/site-model.ts'

// The world of the speed bar: a million pages and more, so small that what is measured is the crawler.

/**
 * `hosts` sites (default 800) with `pages` pages each (default 1,300), a tree of four children a page, each with a latency of its own from 50 to 500 ms.
 *
 * 1,040,800 requests, robots.txt included. The pages are the same on all sites, so that their bytes are there once.
 */
export function million(options: { readonly hosts?: number; readonly pages?: number; readonly seed?: string } = {}): SiteModel {
  const { hosts = 800, pages = 1_300, seed = 'million' } = options
  const chance = seeded(seed, 'latency')
  return siteModel({
    seed,
    // Whole ms, so that many exchanges share a moment: fewer moments are what makes virtual time quick.
    hosts: Array.from({ length: hosts }, (_, n) => ({
      name: nameOf('site', n, 4),
      pages: { kind: 'plain', pages },
      latency: { law: 'fixed', ms: 50 + Math.floor(451 * chance(n)) },
    })),
  })
}

/**
 * Ten hosts that answer in 50 ms with 50 pages each, and two that take every request and never answer, with 100 URLs each.
 *
 * The test of who lets hanging sites starve healthy ones: 500 healthy pages, about 2 s with 16 slots when nobody is in the way.
 */
export function twelveHosts(seed: string = 'twelve-hosts'): SiteModel {
  const healthy = named('healthy', 10, { pages: { kind: 'list', pages: 50 }, latency: { law: 'fixed', ms: 50 } })
  const hanging = named('hanging', 2, { pages: { kind: 'list', pages: 100 }, death: 'hang' })
  return siteModel({ seed, hosts: [...healthy, ...hanging] })
}

/**
 * Forty hosts as the web has them: most well, some slow, some that refuse with Retry-After 1, some flapping, some hanging, some dead.
 *
 * Sized so that a crawl with a spacing of 0.2 s a host and a patience of a few seconds ends within 45 s.
 */
export function roughForty(seed: string = 'rough-forty'): SiteModel {
  const tree = (pages: number): HostSpec['pages'] => ({ kind: 'tree', pages, extras: { redirects: 2, missing: 2, documents: 3 } })
  const dead: DeathStyle[] = ['refuse', 'reset', 'truncate', 'drip', 'dns-not-found', 'blackhole']
  return siteModel({
    seed,
    hosts: [
      ...named('well', 20, { pages: tree(60), latency: { law: 'lognormal', medianMs: 40, spread: 0.4 } }),
      ...named('slow', 4, { pages: { kind: 'tree', pages: 8 }, latency: { law: 'uniform', minMs: 1_000, maxMs: 2_000 } }),
      ...named('refusing', 5, {
        pages: tree(20),
        latency: { law: 'fixed', ms: 30 },
        capacity: { law: 'bucket', perSecond: 3, burst: 3 },
        refusal: { status: 429, retryAfter: 'seconds', retryAfterSeconds: 1 },
      }),
      ...named('flapping', 2, {
        pages: tree(15),
        latency: { law: 'fixed', ms: 30 },
        flapping: { style: 'reset', periodMs: 8_000, downRatio: 0.25 },
      }),
      ...named('hanging', 3, { pages: tree(10), death: 'hang' }),
      ...dead.map((death) => ({ name: `${death}.test`, pages: tree(10), death })),
    ],
  })
}

/** `count` shops with 40 products each, all well, at 20 to 200 ms. */
export function shops(count: number = 5, seed: string = 'shops'): SiteModel {
  return siteModel({
    seed,
    hosts: named('shop', count, {
      pages: { kind: 'shop', products: 40, extras: { redirects: 1, missing: 2, documents: 1 } },
      latency: { law: 'uniform', minMs: 20, maxMs: 200 },
    }),
  })
}

/** One host with 100 quotes on ten pages. */
export function quotes(seed: string = 'quotes'): SiteModel {
  return siteModel({
    seed,
    hosts: [{ name: 'quotes.test', pages: { kind: 'quotes', quotes: 100 }, latency: { law: 'fixed', ms: 30 } }],
  })
}

/** The worlds by name. */
export const WORLDS: Readonly<Record<string, () => SiteModel>> = {
  'twelve-hosts': twelveHosts,
  'rough-forty': roughForty,
  shops,
  quotes,
  'eight-hundred': () => eightHundred(),
  'eight-hundred-shuffled': () => eightHundred({ seedOrder: 'shuffled' }),
  million: () => million(),
}

/** `well-00.test`, `well-01.test` and so on. */
function named(word: string, count: number, spec: Omit<HostSpec, 'name'>): HostSpec[] {
  return Array.from({ length: count }, (_, n) => ({ ...spec, name: nameOf(word, n, 2) }))
}

/** `well-007.test`: `n` with at least `digits` digits. */
function nameOf(word: string, n: number, digits: number): string {
  return `${word}-${String(n).padStart(digits, '0')}.test`
}

/** The point of the way from `from` to `to`, both above 0, that `share` (0 to 1) of the logarithm makes. */
function logSpread(from: number, to: number, share: number): number {
  return from * (to / from) ** share
}

/** `value` with three digits: descriptions are to be read. */
function readable(value: number): number {
  return Number(value.toPrecision(3))
}

// The world of the great comparison: 800 sites with 20 URLs each, most well, some slow, some dead, a quarter with little to spare.

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
