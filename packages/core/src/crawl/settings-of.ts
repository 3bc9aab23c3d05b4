// Fills in the defaults of a configuration and checks its values.
import { randomBytes } from 'node:crypto'
import { blockedStatusesOf } from '../laws/statuses.ts'
import { systemClock } from '../ports/clock.ts'
import { checkCrawl, limitsOf } from '../checks/config-rules.ts'
import { DEFAULTS, type CrawlConfig } from '../ports/config.ts'
import { AvocetError } from '../values/errors.ts'
import { CREDENTIAL_FIELDS, lowerCased } from '../values/header-names.ts'
import { compileHostOptions, hostsOptionsOf, type HostsOptions } from '../ports/host-options.ts'
import type { Ports } from '../ports/ports.ts'
import type { Sink } from '../ports/sink.ts'
import type { Spider } from '../ports/spider.ts'
import { checkPlugins } from '../checks/plugin-problem.ts'
import type { Settings } from '../run/settings.ts'
import { LoopBudget } from '../process/loop-budget.ts'
import { documentsOf } from '../pages/plugin-documents.ts'
import { LateCodec, Late } from '../run/late-codec.ts'
import { StoreClock } from '../store/store-clock.ts'
import { DroppedParameters, parameterNameOf } from '../url/dropped-parameters.ts'
import { hostnameOf, siteOf } from '../url/host-key.ts'

/** A disk is waited for until it has room again; a server that is away for so long needs somebody. */
const FAR_STORE_PATIENCE_MS = 600_000

/** Fills in the defaults. Throws AVO_CONFIG_INVALID, AVO_SPIDER_INVALID, AVO_PLUGIN_INVALID. */
export function settingsOf<Item>(config: CrawlConfig<Item>, ports: Ports): Settings {
  checkCrawl({ ...config, spider: config.spider ?? null })
  checkSeeds(config.spider)
  const problem = problemOf(config)
  if (problem !== undefined) throw new AvocetError('AVO_CONFIG_INVALID', problem)
  const frontier = config.frontier ?? ports.frontier()
  const machineClock = config.clock ?? systemClock()
  const clock = frontier.sharing !== undefined ? new StoreClock(machineClock) : machineClock
  const plugins = ports.plugins(config)
  checkPlugins(plugins)
  const bodyBudgetBytes = config.fetcher?.bodyBudget?.totalBytes ?? config.bodyBudgetBytes ?? DEFAULTS.bodyBudgetBytes
  const documents = documentsOf(plugins)
  const codec = new LateCodec(async () => {
    using _hold = clock.hold('codec')
    return await ports.codec({ ...config, fields: CREDENTIAL_FIELDS })
  })
  const loop = new LoopBudget(clock)
  const blockedStatuses = blockedStatusesOf(config.blockedStatuses)
  return {
    ...valuesOf(config),
    spider: config.spider,
    frontier,
    pages: new Late(ports.pages),
    fetcher: new Late(async () => {
      if (hidesSome(config)) await codec.load()
      const { crawlFetcher } = await import('./crawl-fetcher.ts')
      return crawlFetcher(config, { clock, bodyBudgetBytes, ports })
    }),
    ...(config.browser && { browser: config.browser }),
    codec,
    // A pattern may mean more than its author knows: what is hidden is sent.
    dropped: DroppedParameters.of(config.spider.scope?.dropParameters, (name) => codec.current.names.includes(name)),
    clock,
    loop,
    plugins,
    // What the store has is what the spider yielded.
    sinks: (config.sinks ?? []) as readonly Sink[],
    deliver: (wish) => ports.delivery(wish),
    report: ports.report,
    orders: new Late(ports.orders),
    ...{ documents, blockedStatuses, bodyBudgetBytes },
  }
}

/** The defaults, and over them what the configuration says; then what is not taken as it is given. */
function valuesOf({ timeLimits, sizeLimits: _sizeLimits, discoveryLimits, ...config }: CrawlConfig) {
  return {
    ...limitsOf<Omit<typeof DEFAULTS, 'timeLimits' | 'sizeLimits' | 'discoveryLimits'>>(DEFAULTS, config),
    headers: lowerCased(config.headers ?? {}),
    sessions: sessionsOf(config.sessions),
    hostOptions: compileHostOptions(hostsOptionsOf(config)),
    privateOptions: compileHostOptions(privateOptionsOf(config.hosts), { anyPort: false }),
    storePatienceMs:
      config.storePatienceMs ?? (config.frontier?.sharing?.tenure === undefined ? Infinity : FAR_STORE_PATIENCE_MS),
    maxPages: config.maxPages ?? Infinity,
    maxTimeMs: config.maxTimeMs ?? Infinity,
    timeLimits: limitsOf(DEFAULTS.timeLimits, timeLimits),
    discoveryLimits: limitsOf(DEFAULTS.discoveryLimits, discoveryLimits),
    randomSeed: config.randomSeed ?? randomBytes(8).toString('hex'),
  } satisfies Partial<Settings>
}

/** What no rule of a single option can say. */
function problemOf(config: CrawlConfig): string | undefined {
  return (
    unmatchedPattern(config.hosts, config.hostKeying) ??
    hiddenAndDropped(config) ??
    fetchersOwn(config) ??
    userAgentIn([config, ...Object.values(config.sessions ?? {})]) ??
    sessionsProxy(config)
  )
}

/** What a fetcher brings itself, and what it is made with. */
function fetchersOwn({ fetcher, resolver, nameServers, bodyBudgetBytes }: CrawlConfig): string | undefined {
  if (fetcher !== undefined && (resolver !== undefined || nameServers !== undefined))
    return 'expected either a fetcher, which finds names itself, or resolver and nameServers, got both; leave one out'
  if (fetcher?.bodyBudget !== undefined && bodyBudgetBytes !== undefined)
    return 'expected either a fetcher that has a bodyBudget of its own, or bodyBudgetBytes, got both; leave one out'
  return undefined
}

/** The user agent is named once: policies such as robots.txt go by it. */
function userAgentIn(all: readonly Pick<CrawlConfig, 'headers'>[]): string | undefined {
  const isGiven = all.some(({ headers }) => Object.hasOwn(lowerCased(headers ?? {}), 'user-agent'))
  return isGiven ? 'expected the user agent in userAgent (--user-agent), got it among headers; move it there' : undefined
}

/** Proxies are a plugin's. */
function sessionsProxy({ sessions = {} }: CrawlConfig): string | undefined {
  const name = Object.keys(sessions).find((each) => sessions[each]?.proxy !== undefined)
  if (name === undefined) return undefined
  return `expected sessions.${name}.proxy in the configuration of the avocet command, got it in crawl(); add plugins: [proxies({ … }, { sessions: { ${name}: 'URL' } })] of @avocet/plugin-proxies`
}

/** Whether the configuration names what is to be hidden; of a login, header fields that its requests may have. */
function hidesSome({ secretParameters = [], credentials, sessions = {}, spider }: CrawlConfig): boolean {
  const all = [credentials, spider.login, ...Object.values(sessions).map((session) => session.credentials)]
  return secretParameters.length > 0 || all.some((some) => some !== undefined)
}

/** A value that is never to be seen, and yet sent, and a parameter that is never to be sent. */
function hiddenAndDropped({
  spider,
  secretParameters = [],
}: Pick<CrawlConfig, 'spider' | 'secretParameters'>): string | undefined {
  const dropped = new Set(spider.scope?.dropParameters?.names?.map(parameterNameOf))
  const both = secretParameters.find((name) => dropped.has(parameterNameOf(name)))
  if (both === undefined) return undefined
  return `expected each parameter either in secretParameters (sent, and never shown) or in scope.dropParameters.names (not sent), got ${both} in both; remove it from one`
}

function sessionsOf(given: CrawlConfig['sessions'] = {}): Settings['sessions'] {
  return new Map(
    Object.entries(given).map(([name, { headers = {}, userAgent }]) => [
      name,
      { headers: lowerCased(headers), ...(userAgent !== undefined && { userAgent }) },
    ]),
  )
}

/** The patterns that say something of private addresses: most crawls have none, and then nothing is matched. */
function privateOptionsOf(hosts: HostsOptions = {}): HostsOptions {
  const said = Object.entries(hosts).flatMap(([pattern, { allowPrivate }]) =>
    allowPrivate === undefined ? [] : [[pattern, { allowPrivate }] as const],
  )
  return Object.fromEntries(said)
}

function checkSeeds({ seeds, name }: Spider): void {
  if (!Array.isArray(seeds) || seeds.length > 0) return
  throw new AvocetError('AVO_SPIDER_INVALID', `spider ${name} has no seeds: add at least one URL`)
}

// Patterns of `hosts` that no host can ever match, because hosts are keyed otherwise: what is to be written instead.
const MOST_PORT = 65_535

/**
 * Of the first pattern that matches no host: why, and what to write; undefined where all may match. What is said of private addresses alone goes by host,
 * with any keying.
 */
export function unmatchedPattern(hosts: HostsOptions = {}, keying: 'host' | 'domain' = 'host'): string | undefined {
  for (const [pattern, options] of Object.entries(hosts)) {
    const problem = portProblem(pattern)
    const goesByKey = Object.entries(options).some(([name, value]) => name !== 'allowPrivate' && value !== undefined)
    const why = problem ?? (keying === 'domain' && goesByKey && pattern !== '*' ? domainProblem(pattern) : undefined)
    if (why !== undefined) return `hosts: '${pattern}' matches no host: ${why}`
  }
  return undefined
}

function portProblem(pattern: string): string | undefined {
  const name = hostnameOf(pattern)
  if (name === pattern) return undefined
  const port = Number(pattern.slice(pattern.lastIndexOf(':') + 1))
  if (port === 80 || port === 443) return `a default port is no part of a host; write '${name}'`
  return port < 1 || port > MOST_PORT ? `expected a port from 1 to ${MOST_PORT}, got ${port}` : undefined
}

/** Hosts are registrable domains, without ports: `shop.example`, never `www.shop.example`. */
function domainProblem(pattern: string): string | undefined {
  const name = hostnameOf(pattern).replace(/^\*\./, '')
  const below = `x.${name}`
  // Below a public suffix there are domains.
  if (pattern.startsWith('*.') && siteOf(below) === below) return undefined
  const site = siteOf(name)
  return pattern === site ? undefined : `with hostKeying 'domain' hosts are registrable domains without a port; write '${site}'`
}
