// Worlds of one host that can take so much and no more: what a pace has to find, hold, and find again. Each lasts an hour at its rate.
import { siteModel, type CapacityLaw, type Change, type HostSpec, type RefusalStyle, type SiteModel } from '@avocet/simulator'

const HOUR_SECONDS = 3_600
/** When the worlds that change do so: by then a pace should have settled. */
const CHANGE_AT_MS = 20 * 60_000
const WITH_SECONDS: RefusalStyle = { status: 429, retryAfter: 'seconds' }

/** One host, `limited.test`, with an hour of pages at `perSecond`. */
export function limited(perSecond: number, host: Omit<HostSpec, 'name' | 'pages'>): SiteModel {
  const pages = Math.ceil(perSecond * HOUR_SECONDS * 1.05) + 100
  const spec: HostSpec = {
    name: 'limited.test',
    pages: { kind: 'list', pages, textBytes: 0 },
    latency: { law: 'uniform', minMs: 60, maxMs: 140 },
    ...host,
  }
  return siteModel({ seed: 'limited', hosts: [spec] })
}

const bucket = (perSecond: number, burst: number): CapacityLaw => ({ law: 'bucket', perSecond, burst })

const window10: CapacityLaw = { law: 'window', requests: 10, seconds: 60 }

function changing(changes: readonly Change[], most: number): SiteModel {
  return limited(5 * most, { capacity: { law: 'bucket', perSecond: 5, burst: 5, changes } })
}

/** Nine token buckets by name, such as `bucket-5-burst-1`. */
export const BUCKET_WORLDS: Readonly<Record<string, () => SiteModel>> = Object.fromEntries(
  [0.5, 5, 50].flatMap((perSecond) =>
    [1, 5, 20].map((burst) => [
      `bucket-${String(perSecond)}-burst-${String(burst)}`,
      () => limited(perSecond, { capacity: bucket(perSecond, burst) }),
    ]),
  ),
)

/** Windows and the rate limit fields that hosts send, a host that penalises, and hosts that refuse in odd ways. */
export const REFUSING_WORLDS: Readonly<Record<string, () => SiteModel>> = {
  'window-10': () => limited(0.2, { capacity: window10 }),
  'window-10-retry-after': () => limited(0.2, { capacity: window10, refusal: WITH_SECONDS }),
  'window-10-retry-after-date': () => limited(0.2, { capacity: window10, refusal: { status: 429, retryAfter: 'date' } }),
  'window-10-ratelimit': () => limited(0.2, { capacity: window10, rateLimitFields: 'draft' }),
  'window-10-ratelimit-legacy': () => limited(0.2, { capacity: window10, rateLimitFields: 'legacy' }),
  'window-10-ratelimit-x': () => limited(0.2, { capacity: window10, rateLimitFields: 'x' }),
  'window-10-ratelimit-lying': () => limited(0.2, { capacity: window10, rateLimitFields: 'lying' }),
  'sliding-10': () => limited(0.2, { capacity: { law: 'sliding', requests: 10, seconds: 60 } }),
  'penalising-5': () => limited(5, { capacity: { law: 'penalising', perSecond: 5, burst: 5 } }),
  'slow-refusals-50ms': () => slowlyRefusing(50),
  'slow-refusals-300ms': () => slowlyRefusing(300),
  'slow-refusals-3s': () => slowlyRefusing(3_000),
  'slow-refusals-8s': () => slowlyRefusing(8_000),
  'refusing-503': () => limited(5, { capacity: bucket(5, 5), refusal: { status: 503 } }),
  'random-429-0.2': () => limited(10, { refuseRatio: 0.002 }),
  'random-429-1': () => limited(10, { refuseRatio: 0.01 }),
  'random-429-3': () => limited(10, { refuseRatio: 0.03 }),
  banning: () => limited(5, { ban: { requests: 50, windowSeconds: 10, banSeconds: 600 } }),
}

/** Capacities that change, queues that grow, and a host that several crawls share. */
export const CHANGING_WORLDS: Readonly<Record<string, () => SiteModel>> = {
  'bucket-5-halving': () => changing([{ atMs: CHANGE_AT_MS, factor: 0.5 }], 1),
  'bucket-5-doubling': () => changing([{ atMs: CHANGE_AT_MS, factor: 2 }], 2),
  'bucket-5-pausing': () => changing(pauseAt(CHANGE_AT_MS, 60_000), 1),
  // Six steps of ten minutes: the schedule of the whole-run figure.
  'bucket-5-steps': () => changing(inSteps([1, 0.5, 1, 2, 0.4, 1]), 2),
  'bucket-5-wave': () =>
    limited(5, { capacity: { law: 'bucket', perSecond: 5, burst: 5, wave: { ratio: 0.3, periodMs: 600_000 } } }),
  'servers-1': () => queueing(1),
  'servers-4': () => queueing(4),
  'servers-16': () => queueing(16),
  'slowing-25': () => limited(20, { latencyChanges: [{ atMs: CHANGE_AT_MS, factor: 25 }] }),
  'shared-bucket-5': () => limited(5, { capacity: bucket(5, 5) }),
}

function slowlyRefusing(ms: number): SiteModel {
  return limited(5, {
    latency: { law: 'uniform', minMs: ms * 0.8, maxMs: ms * 1.2 },
    capacity: bucket(5, 5),
    refusal: { status: 429, latencyMs: 'as-served' },
  })
}

function queueing(servers: number): SiteModel {
  return limited(servers * 5, {
    latency: { law: 'uniform', minMs: 150, maxMs: 250 },
    capacity: { law: 'servers', servers, changes: [{ atMs: CHANGE_AT_MS, factor: 0.5 }] },
  })
}

function pauseAt(atMs: number, durationMs: number): Change[] {
  return [
    { atMs, factor: 0 },
    { atMs: atMs + durationMs, factor: 1 },
  ]
}

function inSteps(factors: readonly number[]): Change[] {
  return factors.map((factor, n) => ({ atMs: n * 600_000, factor }))
}
