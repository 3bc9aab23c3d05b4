// The first minute at strangers: whole crawls of hosts of which nothing is known, with `polite()` on virtual time. Worlds that no law was made on.
//
// Eighty hosts: capacities spread by logarithm over 0.5 to 50 requests a second, latencies over 50 ms to 15 s, both by chance. What is possible is what
// the oracle says, within ten a second and eight in flight. Pages never run out. And half a minute of `eight-hundred`, in which ten hosts ban.
// Then one host that does not stay a stranger: sixty prices every hour, of a shop that bans above 2 to 6 requests a second over five seconds.
import { crawl, memoryFrontier, type Plugin, spider } from 'avocet'
import { recrawl } from '@avocet/plugin-recrawl'
import { polite } from '@avocet/preset-polite'
import { eightHundred, simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { mostAccepted } from '@avocet/stress/oracle'
import type { Felt, HostSpec, SiteModel } from '@avocet/simulator'
import { rowOf, rowsOn, type Row } from './row.ts'
import { seeded, seedsTo } from './seeded.ts'

const HOSTS = 80
const MOST = { delayMs: 100, maxInFlightPerHost: 8 }
const MINUTE_MS = 60_000

/** Hosts of a kind, of about `rps` each. */
const KINDS: Readonly<Record<string, (rps: number, burst: number) => Partial<HostSpec>>> = {
  buckets: (rps, burst) => ({ capacity: { law: 'bucket', perSecond: rps, burst } }),
  'buckets without burst': (rps) => ({ capacity: { law: 'bucket', perSecond: rps, burst: 1 } }),
  'buckets with Retry-After': (rps, burst) => ({
    capacity: { law: 'bucket', perSecond: rps, burst },
    refusal: { status: 429, retryAfter: 'seconds' },
  }),
  'buckets with a burst of a second': (rps) => ({ capacity: { law: 'bucket', perSecond: rps, burst: Math.max(2, rps) } }),
  'buckets whose refusals cost a token': (rps, burst) => ({ capacity: { law: 'penalising', perSecond: rps, burst: burst + 1 } }),
  'windows of ten seconds': (rps) => ({ capacity: { law: 'window', requests: Math.ceil(10 * rps), seconds: 10 } }),
  'hosts that ban': (rps) => ({ ban: { requests: Math.ceil(5 * Math.max(2, rps)), windowSeconds: 5, banSeconds: 600 } }),
  'hosts without a limit': () => ({}),
}

/** Counts of some hosts, summed. */
interface Sum {
  served: number
  possible: number
  refused: number
  /** Hosts. */
  banned: number
}

/** The table. */
export async function strangersTable({ seeds, quick = false }: { seeds: number; quick?: boolean }): Promise<readonly Row[]> {
  const sums: Record<string, Sum>[] = []
  for (const seed of seedsTo(seeds)) sums.push(await strangers(seed))
  const row = rowsOn(sums)
  const rows = (quick ? ['all'] : ['all', ...Object.keys(KINDS)]).flatMap((kind) => {
    const of = (run: Record<string, Sum>): Sum => run[kind] ?? NOBODY
    const bars = kind === 'all' ? { used: 70, refused: 1 } : undefined
    return [
      row(`first minute at 80 strangers, ${kind}: used`, (run) => (100 * of(run).served) / of(run).possible, {
        unit: '%',
        judged: 'median',
        worst: 'low',
        atLeast: bars?.used,
      }),
      row(`first minute at 80 strangers, ${kind}: refused`, (run) => share(of(run)), { unit: '%', atMost: bars?.refused }),
      row(`first minute at 80 strangers, ${kind}: banned by`, (run) => of(run).banned, { unit: 'hosts' }),
    ]
  })
  const crowd = await felt(eightHundred(), 'eight hundred', 30_000)
  const name = 'first half of a minute at 800 hosts'
  const shops = await Promise.all(seedsTo(seeds).map((seed) => shop(seed)))
  const shopRow = rowsOn(shops)
  return [
    ...rows,
    rowOf(`${name}: refused`, [share({ served: total(crowd, 'served'), refused: total(crowd, 'refused') })], {
      unit: '%',
      atMost: 1,
    }),
    rowOf(`${name}: banned by`, [crowd.filter(({ banned }) => banned > 0).length], { unit: 'hosts', atMost: 0 }),
    // Ten forbidden pages in a row make a ban certain.
    shopRow('60 prices an hour at a shop that bans, three days: forbidden', ({ banned }) => banned, {
      unit: 'pages',
      atMost: 30,
    }),
    shopRow('60 prices an hour at a shop that bans, three days: had', ({ served }) => (100 * served) / (60 * HOURS), {
      unit: '%',
      atLeast: 99,
    }),
  ]
}

/** Counts by kind. */
async function strangers(seed: number): Promise<Record<string, Sum>> {
  const chance = seeded(seed)
  const hosts = Array.from({ length: HOSTS }, (_, n) => hostOf(n, chance))
  const model = siteModel({ seed: `strangers ${seed}`, hosts })
  const sums: Record<string, Sum> = { all: { ...NOBODY } }
  for (const [n, { served, refused, banned }] of (await felt(model, `seed ${seed}`, MINUTE_MS)).entries()) {
    const host = hosts[n]
    if (host === undefined) continue
    const possible = mostAccepted(host, { fromMs: 0, untilMs: MINUTE_MS, seed: model.seed }, MOST)
    for (const sum of [sums['all'], (sums[kindOf(n)] ??= { ...NOBODY })]) {
      if (sum === undefined) continue
      sum.served += served
      sum.possible += possible
      sum.refused += refused
      sum.banned += Number(banned > 0)
    }
  }
  return sums
}

const NOBODY: Sum = { served: 0, possible: 0, refused: 0, banned: 0 }

function hostOf(n: number, chance: () => number): HostSpec {
  const [rps, medianMs, burst] = [0.5 * 100 ** chance(), 50 * 300 ** chance(), 1 + Math.floor(10 * chance())]
  return {
    name: `stranger-${n}.test`,
    pages: { kind: 'list', pages: 700, textBytes: 0 },
    latency: { law: 'lognormal', medianMs, spread: 0.3 },
    ...KINDS[kindOf(n)]?.(rps, burst),
  }
}

function kindOf(n: number): string {
  const kinds = Object.keys(KINDS)
  return kinds[n % kinds.length] ?? ''
}

const HOURS = 72
const HOUR_MS = 60 * MINUTE_MS

async function shop(seed: number): Promise<Felt> {
  const ban = { requests: 10 + 5 * (seed % 5), windowSeconds: 5, banSeconds: 600 }
  const latency = { law: 'lognormal', medianMs: 250, spread: 0.4 } as const
  const hosts: HostSpec[] = [{ name: 'shop.test', pages: { kind: 'list', pages: 60 }, latency, ban }]
  const model = siteModel({ seed: `shop ${seed}`, hosts })
  const [found] = await felt(model, `shop ${seed}`, HOURS * HOUR_MS, [recrawl([{ everyMs: HOUR_MS }])])
  if (found === undefined) throw new Error('there is one shop')
  return found
}

async function felt(
  model: SiteModel,
  randomSeed: string,
  forMs: number,
  plugins: readonly Plugin[] = [],
): Promise<readonly Felt[]> {
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const run = crawl({
    spider: spider({ name: 'strangers', seeds: model.seeds(), handlers: { *start() {} } }),
    policies: polite(),
    plugins,
    clock,
    fetcher: web,
    frontier: memoryFrontier(),
    randomSeed,
    // Slots are in nobody's way.
    concurrency: HOSTS * MOST.maxInFlightPerHost,
    maxTimeMs: forMs,
  })
  await clock.run(() => run.run())
  return model.hosts.map(({ name }) => web.felt(name))
}

function share({ served, refused }: Pick<Sum, 'served' | 'refused'>): number {
  return (100 * refused) / (served + refused)
}

function total(all: readonly Felt[], of: 'served' | 'refused'): number {
  return all.reduce((sum, one) => sum + one[of], 0)
}
