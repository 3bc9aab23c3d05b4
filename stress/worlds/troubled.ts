// Worlds in which hosts, or the client's own network, are down: what a breaker, a retry and a timeout have to live with.
import { siteModel, type ClientOutage, type DeathStyle, type HostSpec, type SiteModel } from '@avocet/simulator'

const DEATHS: readonly DeathStyle[] = [
  'refuse',
  'blackhole',
  'dns-not-found',
  'tls-certificate',
  'hang',
  'stall',
  'drip',
  'reset',
  'truncate',
  'endless',
]
const WELL: Omit<HostSpec, 'name'> = {
  pages: { kind: 'list', pages: 200 },
  latency: { law: 'lognormal', medianMs: 200, spread: 0.4 },
}

/** Hosts that are dead in ten ways, hosts that recover or flap, a client without network, and crawls that are killed. */
export const TROUBLED_WORLDS: Readonly<Record<string, () => SiteModel>> = {
  'dead-ten': () => deadTen(),
  'recovering-refuse': () => recovering('refuse'),
  'recovering-reset': () => recovering('reset'),
  'recovering-hang': () => recovering('hang'),
  'flapping-half': () => flappingHalf(),
  'offline-30s': () => offline('unreachable'),
  'offline-30s-silent': () => offline('blackhole'),
  resuming: () => resuming(),
}

function deadTen(): SiteModel {
  const dead = DEATHS.map((death): HostSpec => ({ name: `${death}.test`, pages: { kind: 'list', pages: 50 }, death }))
  return siteModel({ seed: 'dead-ten', hosts: [...named('well', 10, WELL), ...dead] })
}

/** Ten hosts that are dead from the first minute to the sixth, and ten that are well. */
function recovering(style: DeathStyle): SiteModel {
  const outages = [{ style, fromMs: 60_000, untilMs: 360_000 }]
  return siteModel({
    seed: 'recovering',
    hosts: [...named('well', 10, WELL), ...named('recovering', 10, { ...WELL, pages: { kind: 'list', pages: 600 }, outages })],
  })
}

function flappingHalf(): SiteModel {
  const flapping = { style: 'reset', periodMs: 60_000, downRatio: 0.5 } as const
  return siteModel({ seed: 'flapping-half', hosts: [...named('well', 5, WELL), ...named('flapping', 5, { ...WELL, flapping })] })
}

function offline(style: ClientOutage['style']): SiteModel {
  return siteModel({
    seed: 'offline',
    hosts: named('well', 30, WELL),
    clientOutages: [{ style, fromMs: 60_000, untilMs: 90_000 }],
  })
}

/** Twenty hosts of all tempers, enough for ten minutes: to be killed in the middle and taken up again, or to have the clock set under it. */
function resuming(): SiteModel {
  const pages: HostSpec['pages'] = { kind: 'list', pages: 600 }
  const hosts = Array.from({ length: 20 }, (_, n): HostSpec => {
    const host: HostSpec = { name: nameOf('resumed', n), pages, latency: { law: 'uniform', minMs: 100, maxMs: 300 } }
    if (n === 0) return { ...host, outages: [{ style: 'hang', fromMs: 30_000 }] }
    if (n % 4 === 1) return { ...host, capacity: { law: 'bucket', perSecond: 2, burst: 2 } }
    if (n % 4 !== 2) return host
    const refusal = { status: 429, retryAfter: 'seconds', retryAfterSeconds: 300 } as const
    return { ...host, capacity: { law: 'window', requests: 100, seconds: 300 }, refusal }
  })
  return siteModel({ seed: 'resuming', hosts })
}

/** `well-00.test`, `well-01.test` and so on. */
function named(word: string, count: number, spec: Omit<HostSpec, 'name'>): HostSpec[] {
  return Array.from({ length: count }, (_, n) => ({ ...spec, name: nameOf(word, n) }))
}

/** `well-07.test`. */
export function nameOf(word: string, n: number): string {
  return `${word}-${String(n).padStart(2, '0')}.test`
}
