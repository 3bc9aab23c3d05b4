// The two worlds that a plugin is tried in: one where all is answered in the end, and one where much is not.
import { siteModel, type HostSpec, type SiteModel } from '@avocet/simulator'

const WELL: readonly HostSpec[] = [
  {
    name: 'quick.test',
    pages: { kind: 'tree', pages: 15, extras: { redirects: 1, missing: 2, documents: 1 } },
    latency: { law: 'fixed', ms: 20 },
  },
  { name: 'uneven.test', pages: { kind: 'shop', products: 12 }, latency: { law: 'lognormal', medianMs: 150, spread: 0.8 } },
  { name: 'slow.test', pages: { kind: 'quotes', quotes: 30 }, latency: { law: 'uniform', minMs: 2_000, maxMs: 4_000 } },
  {
    name: 'busy.test',
    pages: { kind: 'tree', pages: 12 },
    latency: { law: 'fixed', ms: 30 },
    capacity: { law: 'bucket', perSecond: 0.8, burst: 2 },
    refusal: { status: 429, retryAfter: 'seconds' },
  },
  {
    name: 'windowed.test',
    pages: { kind: 'list', pages: 8 },
    latency: { law: 'fixed', ms: 30 },
    capacity: { law: 'window', requests: 3, seconds: 10 },
    refusal: { status: 503 },
  },
]

/** Where what becomes of a URL does not depend on when it is asked for, given time. */
export function steadyWorld(): SiteModel {
  return siteModel({ seed: 'steady', hosts: WELL })
}

/** The same with hosts that hang, refuse, reset, cut short, go down and come back, and flap. */
export function troubledWorld(): SiteModel {
  const pages: HostSpec['pages'] = { kind: 'list', pages: 6 }
  return siteModel({
    seed: 'hostile',
    hosts: [
      ...WELL,
      { name: 'hanging.test', pages, death: 'hang' },
      { name: 'refusing.test', pages, death: 'refuse' },
      { name: 'truncating.test', pages, death: 'truncate' },
      { name: 'recovering.test', pages, outages: [{ style: 'reset', fromMs: 2_000, untilMs: 60_000 }] },
      { name: 'flapping.test', pages, flapping: { style: 'reset', periodMs: 7_000, downRatio: 0.5 } },
    ],
  })
}
