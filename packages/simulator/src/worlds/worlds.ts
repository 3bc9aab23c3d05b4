// Named worlds: the models that tests, examples, the demo and the benchmarks share.
import type { DeathStyle, HostSpec } from '../site-model/host-spec.ts'
import { siteModel, type SiteModel } from '../site-model/site-model.ts'
import { eightHundred } from './eight-hundred.ts'
import { million } from './million.ts'
import { named } from './named-hosts.ts'

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

/** The worlds by the name that the commands `serve` and `simulate` know them under. */
export const WORLDS: Readonly<Record<string, () => SiteModel>> = {
  'twelve-hosts': twelveHosts,
  'rough-forty': roughForty,
  shops,
  quotes,
  'eight-hundred': () => eightHundred(),
  'eight-hundred-shuffled': () => eightHundred({ seedOrder: 'shuffled' }),
  million: () => million(),
}
