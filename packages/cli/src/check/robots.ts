// Whether robots.txt allows the seeds: a crawl of them that reads the files and then sends nothing else.
//
// The project's own plugin `robots` decides, with the user agent, the limits and the hosts' options of the crawl, so that the answer is the one
// that the crawl would get. A second plugin drops each seed when it is about to be sent. Of two reasons to drop the alphabetically first is kept
// (`louder` in exchange.ts of core): `robots` comes before `seen`.
import { definePlugin, type CrawlReport, type Plugin, type RunnableConfig, type Seed } from '@avocet/core'
import { crawl, memoryFrontier } from 'avocet'
import type { TraceEvent } from '@avocet/core/plugin'
import { hostKeyOf, type RequestRecord } from '@avocet/core/store'
import { activePlugins } from 'avocet'
import { formatCountOf } from '@avocet/project/text'
import { deadLetterClassOf } from '@avocet/project/store'
import { finding, findings, type Finding } from './finding.ts'

const SEEN = 'seen'
const MAX_HOSTS = 50
const MAX_SEEDS_OF_HOST = 5
const MAX_TIME_MS = 20_000
/** A host that does not answer by then is reported as unreachable. */
const PATIENCE_MS = 2_000

const onlyLook = definePlugin({
  name: 'only-look',
  policy: 'rate',
  seesRequired: false,
  beforeRequest: (outgoing) => outgoing.drop(SEEN),
})

/** Reads the robots.txt of the seeds' hosts, one request each. */
export async function robotsFindings(
  config: Omit<RunnableConfig, 'spider'>,
  seeds: readonly Seed[],
): Promise<readonly Finding[]> {
  const robots = activePlugins(config).filter(({ policy }) => policy === 'robots')
  if (robots.length === 0) {
    const said = 'no policy for robots.txt: it is ignored; use policies: polite() unless the sites are yours'
    return [finding('robots', 'warn', said)]
  }
  const urls = looked(seeds)
  const frontier = memoryFrontier()
  const run = crawl({
    ...config,
    frontier,
    sinks: [],
    recrawl: [],
    policies: robots,
    plugins: [...routingPlugins(config), onlyLook],
    patienceMs: PATIENCE_MS,
    maxTimeMs: MAX_TIME_MS,
    drainMs: 0,
    timeLimits: { ...config.timeLimits, connectMs: 5_000, firstByteMs: 10_000 },
    spider: { name: 'check', seeds: urls, handlers: { *start() {} } },
  })
  // A crawl has patience until the next opening.
  const hosts = new Set(urls.map((url) => hostKeyOf(url, config.hostKeying ?? 'host')))
  run.hooks.onTrace.tap('check', (event: TraceEvent) => {
    if (event.kind === 'held' && event.hold?.by === 'hours' && hosts.delete(event.hostKey) && hosts.size === 0) run.stop()
  })
  const report = await run.run()
  const settled = await frontier.reader.requests({ state: 'failed', limit: urls.length })
  return findingsOf(settled, { report, urls, servers: serversOf(config) })
}

/** Plugins of Avocet that serve nothing. */
const OWN: ReadonlySet<string> = new Set(['journal', 'proxies', 'sitemaps', 'cookies', 'limits', 'signature'])

/** Names of plugins that do something when a crawl opens, such as the practice site of a new project. A check opens none. */
function serversOf(config: Omit<RunnableConfig, 'spider'>): readonly string[] {
  return activePlugins(config)
    .filter(({ policy, open, name }) => policy === undefined && open !== undefined && !OWN.has(name))
    .map(({ name }) => name)
}

/** Of this machine. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/

/** What came of it. */
interface Looked {
  readonly report: CrawlReport
  readonly urls: readonly string[]
  /** Plugins that may serve hosts of this machine while a crawl runs. */
  readonly servers: readonly string[]
}

function findingsOf(settled: readonly RequestRecord[], { report, urls, servers }: Looked): readonly Finding[] {
  const forbidden = settled.filter(({ reason = '' }) => deadLetterClassOf(reason) === 'robots')
  const seen = settled.filter(({ reason }) => reason === SEEN)
  const isServed = ({ hostKey, why }: { hostKey: string; why: string }): boolean =>
    servers.length > 0 && LOOPBACK.test(hostKey) && why.includes('AVO_CONNECT_REFUSED')
  const served = report.waitingHosts.filter(isServed)
  const later = report.waitingHosts.filter(({ why }) => /^(?:hours|limits): /.test(why))
  const others = report.waitingHosts.filter((host) => !isServed(host) && !later.includes(host))
  const waiting = [
    ...others.map(({ hostKey, why }) => `${hostKey}: ${why.replace(/^robots: /, '')}; a crawl would wait for it`),
    ...report.retiredHosts.map(({ hostKey, reason }) => `${hostKey}: ${reason}`),
  ]
  const unsettled = waiting.length + served.length + later.length > 0 ? 0 : urls.length - settled.length
  const first = `nothing answers (AVO_CONNECT_REFUSED); a crawl opens ${servers.join(', ')} first, which may serve it`
  const said = (state: Finding['state'], ...lines: string[]): readonly Finding[] => findings('robots', state, lines)
  // The others are crawled all the same.
  const state = seen.length > 0 ? 'warn' : 'fail'
  return [
    ...(seen.length > 0 ? said('ok', `${formatCountOf(seen.length, 'seed')} allowed`) : []),
    ...said(state, ...forbidden.map(({ url }) => `robots.txt forbids the seed ${url}; take it out, or ask whose site it is`)),
    ...said('warn', ...served.map(({ hostKey }) => `${hostKey}: ${first}`)),
    ...said(state, ...waiting),
    ...said('ok', ...later.map(({ hostKey, why }) => `${hostKey}: not looked at now; ${why.replace(/^hours: /, '')}`)),
    ...(unsettled > 0 ? said('warn', `${formatCountOf(unsettled, 'seed')} not looked at within 20 s`) : []),
  ]
}

/** A few of each host: the file is one, and the crawl may have a Crawl-delay to keep between them. */
function looked(seeds: readonly Seed[]): readonly string[] {
  const byHost = new Map<string, string[]>()
  for (const { url } of seeds) {
    const key = hostKeyOf(url, 'host')
    const urls = byHost.get(key) ?? []
    if (urls.length < MAX_SEEDS_OF_HOST) urls.push(url)
    byHost.set(key, urls)
  }
  return [...byHost.values()].slice(0, MAX_HOSTS).flat()
}

/** The plugins that say which way requests go, and as whose. */
function routingPlugins(config: Omit<RunnableConfig, 'spider'>): readonly Plugin[] {
  return activePlugins(config).filter(({ name }) => name === 'proxies' || name === 'signature')
}
