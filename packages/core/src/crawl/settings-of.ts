// Fills in the defaults of a configuration, which was checked (`@avocet/config`).
import { randomBytes } from 'node:crypto'
import { blockedStatusesOf } from '../laws/statuses.ts'
import { systemClock } from '../ports/clock.ts'
import { DEFAULTS, limitsOf, type CrawlConfig } from '../ports/config.ts'
import type { Fetcher } from '../ports/fetcher.ts'
import { AvocetError } from '../values/errors.ts'
import { CREDENTIAL_FIELDS, lowerCased } from '../values/header-names.ts'
import { compileHostOptions, hostsOptionsOf, type HostsOptions } from '../ports/host-options.ts'
import type { Ports } from '../ports/ports.ts'
import type { Sink } from '../ports/sink.ts'
import type { Settings } from '../run/settings.ts'
import { LoopBudget } from '../process/loop-budget.ts'
import { documentsOf } from '../pages/plugin-documents.ts'
import { LateCodec, Late } from '../run/late-codec.ts'
import { StoreClock } from '../run/store-clock.ts'
import { DroppedParameters } from '../url/dropped-parameters.ts'

/** A disk is waited for until it has room again; a server that is away for so long needs somebody. */
const FAR_STORE_PATIENCE_MS = 600_000

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function settingsOf<Item>(config: CrawlConfig<Item>, ports: Ports): Settings {
  checkHidden(config)
  const frontier = config.frontier ?? ports.frontier()
  const machineClock = config.clock ?? systemClock()
  const clock = frontier.sharing !== undefined ? new StoreClock(machineClock) : machineClock
  const plugins = ports.plugins(config)
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
      return fetcherOf(config, { clock, bodyBudgetBytes, ports })
    }),
    codec,
    dropped: DroppedParameters.of(config.spider.scope?.dropParameters),
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

/** What a crawl fetches with: the fetcher that it was given or that of its ports, with a browser where there is one. */
async function fetcherOf<Item>(
  config: CrawlConfig<Item>,
  { ports, ...parts }: Pick<Settings, 'clock' | 'bodyBudgetBytes'> & { readonly ports: Ports },
): Promise<Fetcher> {
  const { browser, resolver, nameServers } = config
  const limits = limitsOf(DEFAULTS.sizeLimits, config.sizeLimits)
  const wish = { ...parts, limits, ...(resolver && { resolver }), ...(nameServers && { nameServers }) }
  const http = config.fetcher ?? (await ports.fetcher(wish))
  return browser?.({ http, clock: parts.clock, limits }) ?? http
}

/** The defaults, and over them what the configuration says; then what is not taken as it is given. */
function valuesOf({ timeLimits, sizeLimits: _sizeLimits, discoveryLimits, keep, ...config }: CrawlConfig) {
  return {
    ...limitsOf<Omit<typeof DEFAULTS, 'timeLimits' | 'sizeLimits' | 'discoveryLimits' | 'keep'>>(DEFAULTS, config),
    headers: lowerCased(config.headers ?? {}),
    sessions: sessionsOf(config.sessions),
    hostOptions: compileHostOptions(hostsOptionsOf(config)),
    privateOptions: compileHostOptions(privateOptionsOf(config.hosts), { anyPort: false }),
    storePatienceMs:
      config.storePatienceMs ?? (config.frontier?.sharing?.tenure === undefined ? Infinity : FAR_STORE_PATIENCE_MS),
    maxPages: config.maxPages ?? Infinity,
    maxTimeMs: config.maxTimeMs ?? Infinity,
    offersSeeds: config.offersSeeds ?? true,
    timeLimits: limitsOf(DEFAULTS.timeLimits, timeLimits),
    discoveryLimits: limitsOf(DEFAULTS.discoveryLimits, discoveryLimits),
    keep: limitsOf(DEFAULTS.keep, keep),
    randomSeed: config.randomSeed ?? randomBytes(8).toString('hex'),
  } satisfies Partial<Settings>
}

/** Whether the configuration names what is to be hidden; of a login, header fields that its requests may have. */
function hidesSome({ secretParameters = [], credentials, sessions = {}, spider }: CrawlConfig): boolean {
  const all = [credentials, spider.login, ...Object.values(sessions).map((session) => session.credentials)]
  return secretParameters.length > 0 || all.some((some) => some !== undefined)
}

/** A value that is never to be seen, and yet sent, and a parameter that is never to be sent. */
function checkHidden({ spider, secretParameters = [] }: Pick<CrawlConfig, 'spider' | 'secretParameters'>): void {
  const dropped = DroppedParameters.of(spider.scope?.dropParameters)
  const both = secretParameters.find((name) => dropped.drops(name))
  if (both !== undefined)
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      `expected each parameter either in secretParameters (sent, and never shown) or in scope.dropParameters (not sent), got ${both} in both; remove it from one, or name fewer by a pattern`,
    )
}

function sessionsOf(given: CrawlConfig['sessions'] = {}): Settings['sessions'] {
  return new Map(
    Object.entries(given).map(([name, { headers = {}, userAgent }]) => [
      name,
      { headers: lowerCased(headers), ...(userAgent !== undefined && { userAgent }) },
    ]),
  )
}

/** The patterns that say something of connections: most crawls have none, and then nothing is matched. */
function privateOptionsOf(hosts: HostsOptions = {}): HostsOptions {
  return Object.fromEntries(Object.entries(hosts).filter(([, { allowPrivate, http2 }]) => (allowPrivate ?? http2) !== undefined))
}
