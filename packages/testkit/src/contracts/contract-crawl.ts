// One crawl of a simulated world on virtual time, with the plugins under test: what it decided, what it left, and how it ended.
import { Orders, readReport } from '@avocet/at-rest'
import { checkPlugins } from '@avocet/config'
import { crawlWith, definePlugin, type CrawlReport, type Plugin, type Spider } from '@avocet/core'
import { pageOf } from '@avocet/page'
import { fixedDelay } from '@avocet/plugin-aimd/fixed-delay'
import { secretsCodec } from '@avocet/plugin-secrets'
import { decisionLog, simulatedWeb, siteModel, VirtualClock, type HostSpec, type SiteModel } from '@avocet/simulator'
import { memoryFrontier } from '@avocet/store-memory'
import { CrashStore, type CrashPoint } from './crash-store.ts'

/** A plugin may wait for days before the crawl gives up: virtual ones. */
const PATIENCE_MS = 7 * 86_400_000

const NO_SINKS = (): Promise<never> => Promise.reject(new Error('expected a crawl without sinks'))

/** What a crawl left. */
export interface ContractRun {
  /** Absent when it was cut off. */
  readonly report?: CrawlReport
  /** The decision log. */
  readonly log: readonly string[]
  /** Memory of each host, `host part text`, sorted. */
  readonly memory: readonly string[]
  /** Epoch ms of the virtual clock at the end. */
  readonly endedAt: number
}

/** What is to be crawled, with what. */
export interface ContractCrawl {
  readonly model: SiteModel
  readonly plugins: readonly Plugin[]
  /** Default: an empty one in RAM. */
  readonly store?: CrashStore
  readonly cut?: CrashPoint
  /** Epoch ms of the virtual clock. A resumed crawl begins after the one it resumes. */
  readonly startAt?: number
}

/** Runs it to its end, or to the cut. */
export async function contractCrawl({
  model,
  plugins,
  cut,
  startAt,
  store = new CrashStore(memoryFrontier()),
}: ContractCrawl): Promise<ContractRun> {
  const clock = new VirtualClock(startAt === undefined ? {} : { startAt })
  const { frontier, died } = store.live(cut)
  const log: string[] = []
  const [web, pages] = [simulatedWeb(model, { clock }), async () => pageOf]
  const config = {
    policies: [],
    spider: contractSpider(model),
    plugins: [...plugins, decisionLog(log)],
    ...{ clock, concurrency: 16, patienceMs: PATIENCE_MS, randomSeed: 'contract' },
  }
  checkPlugins(config.plugins)
  const subject = crawlWith(config, {
    plugins: () => (config.plugins.some(({ policy }) => policy === 'rate') ? config.plugins : [...config.plugins, fixedDelay()]),
    ...{ frontier: () => frontier, fetcher: async () => web, pages, delivery: NO_SINKS },
    ...{ report: async () => readReport, orders: async () => new Orders(), codec: async (wish) => secretsCodec(wish) },
  })
  const report = await clock.run(() => Promise.race([subject.run(), died]))
  const memory = [...store.hostMemory].flatMap(([host, parts]) =>
    Object.entries(parts).map(([part, text]) => `${host} ${part} ${text}`),
  )
  return { log, memory: memory.sort(), endedAt: clock.now(), ...(report !== undefined && { report }) }
}

/** Follows all links and yields an item a page. */
function contractSpider(model: SiteModel): Spider {
  return {
    name: 'contract',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield { url: page.url.href, title: page.title }
        yield* page.links()
      },
    },
  }
}

// The two worlds that a plugin is tried in: one where all is answered in the end, and one where much is not.

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

// Plugins that a plugin under test is crawled together with: they hold, limit, vote and remember, so that what does not commute shows.

/** Made anew for each crawl. */
export function companions(): readonly Plugin[] {
  return [spacing(), patientVoter(), ledger()]
}

/** Holds hosts: half a second between two bookings, and at most two at once. */
function spacing(): Plugin {
  return definePlugin({
    name: 'companion-spacing',
    seesRequired: true,
    hostMemory: () => ({ lastAt: 0 }),
    admit(ask, host) {
      ask.notBefore(host.lastAt + 500, 'companion spacing')
      ask.atMost(2, 'companion limit')
    },
    onAdmit({ admittedAt }, host) {
      host.lastAt = admittedAt
    },
  })
}

/** Votes: twice again for what failed by the host's fault, with jitter, and tightens a limit. */
function patientVoter(): Plugin {
  return definePlugin({
    name: 'companion-voter',
    onAdmit(exchange) {
      exchange.limit({ firstByteMs: 10_000, connectMs: 5_000 })
    },
    onResponse(answer) {
      const { exchange, response, now } = answer
      if (response.status < 429) return
      answer.retry(now + 2_000 + 1_000 * exchange.random('companion'), `http-${String(response.status)}`, { counted: false })
    },
    onError(failed) {
      const { exchange, failure, now } = failed
      if (failure.blame !== 'host' || exchange.request.attempts >= 2) return
      failed.retry(now + 1_000 * (1 + exchange.random('companion')), 'companion-again')
    },
  })
}

/** Remembers: what happened at each host, and in all. */
function ledger(): Plugin {
  return definePlugin({
    name: 'companion-ledger',
    hostMemory: () => ({ booked: 0, unsent: 0, answered: 0, failed: 0 }),
    crawlMemory: () => ({ settled: 0 }),
    merge: (a, b) => ({ settled: Math.max(a.settled, b.settled) }),
    onAdmit: (_exchange, host) => void host.booked++,
    onUnsent: (_exchange, host) => void host.unsent++,
    onResponse: (_answer, host) => void host.answered++,
    onError: (_failed, host) => void host.failed++,
    onSettled: (_settled, crawl) => void crawl.settled++,
  })
}
