// What other people's outages cost: forty hosts of which half come and go, crawled with `polite()` on virtual time.
//
// What is possible is what the hosts that are well served in the same crawl, times the share of the time in which the others were up: no client can
// have more of a host that is down. Pages never run out, and no rate is in the way: each host is asked at most twice a second.
import { crawl, memoryFrontier, spider } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock, type DeathStyle, type HostSpec, type Outage } from '@avocet/simulator'
import { rowsOn, type Row } from './row.ts'
import { seeded, seedsTo } from './seeded.ts'

/** Percent of what is possible. */
interface Shares {
  readonly flapping: number
  readonly all: number
  /** Pages that were given up, and hosts. */
  readonly lost: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** The world, and a part of it that a test can afford: in seven outages a host there is less to learn from than in twelve. */
const WHOLE = { count: 40, forMs: 20 * MINUTE, atLeast: 85 }
const PART = { count: 10, forMs: 12 * MINUTE, atLeast: 65 }
const STYLES: readonly DeathStyle[] = ['reset', 'refuse']

/** The rows. `quick`: of a quarter of the hosts. */
export async function flappingRows(seeds: number, quick: boolean = false): Promise<readonly Row[]> {
  const world = quick ? PART : WHOLE
  const ran: Shares[] = []
  for (const seed of seedsTo(seeds)) ran.push(await flappingCrawl(seed, world))
  const row = rowsOn(ran)
  const name = `half of ${world.count} hosts flap`
  return [
    row(`${name}: served by those, of what is possible`, ({ flapping }) => flapping, { unit: '%', atLeast: world.atLeast }),
    row(`${name}: served by all`, ({ all }) => all, { unit: '%', atLeast: 85 }),
    row(`${name}: pages and hosts given up`, ({ lost }) => lost, { atMost: 0 }),
  ]
}

async function flappingCrawl(seed: number, { count, forMs }: typeof WHOLE): Promise<Shares> {
  const chance = seeded(seed)
  const hosts = Array.from({ length: count }, (_, n) => hostOf(n, forMs, chance))
  const model = siteModel({ seed: `flapping ${seed}`, hosts })
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const run = crawl({
    spider: spider({ name: 'flapping', seeds: model.seeds(), handlers: { *start() {} } }),
    policies: polite({ rate: { maxRps: 2 } }),
    clock,
    fetcher: web,
    frontier: memoryFrontier(),
    randomSeed: `seed ${seed}`,
    patienceMs: forMs,
    maxTimeMs: forMs,
  })
  const report = await clock.run(() => run.run())
  const served = ({ name }: HostSpec): number => web.felt(name).served
  const [well, flapping] = [hosts.filter((host) => !flaps(host)), hosts.filter(flaps)]
  const perHost = sum(well.map(served)) / well.length
  const possible = sum(flapping.map((host) => perHost * upShare(host, forMs)))
  const servedByFlapping = sum(flapping.map(served))
  return {
    flapping: (100 * servedByFlapping) / possible,
    all: (100 * (servedByFlapping + sum(well.map(served)))) / (possible + perHost * well.length),
    lost: report.counts.failed + report.counts.retiredHosts,
  }
}

function hostOf(n: number, forMs: number, chance: () => number): HostSpec {
  const host: HostSpec = {
    name: `host-${n}.test`,
    pages: { kind: 'list', pages: (2.1 * forMs) / SECOND },
    latency: { law: 'lognormal', medianMs: 200, spread: 0.4 },
  }
  return n % 2 === 0 ? host : { ...host, outages: [...comesAndGoes(STYLES[(n >> 1) % STYLES.length] ?? 'reset', forMs, chance)] }
}

/** Up for 30 to 90 s, down for 15 to 60 s. */
function* comesAndGoes(style: DeathStyle, forMs: number, chance: () => number): Generator<Outage> {
  for (let at = 0; at < forMs;) {
    const fromMs = at + (30 + 60 * chance()) * SECOND
    at = fromMs + (15 + 45 * chance()) * SECOND
    yield { style, fromMs, untilMs: at }
  }
}

function flaps({ outages }: HostSpec): boolean {
  return outages !== undefined
}

function upShare({ outages = [] }: HostSpec, forMs: number): number {
  const downMs = sum(outages.map(({ fromMs, untilMs = forMs }) => Math.max(0, Math.min(untilMs, forMs) - fromMs)))
  return 1 - downMs / forMs
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}
