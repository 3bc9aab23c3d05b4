// A crawl whose parts are composed: what a configuration does not name, it gets here.
import { createRequire } from 'node:module'
import { checkPlugins, checkRunnable } from '@avocet/config'
import { AvocetError, crawlWith, type Crawl, type CrawlConfig, type Plugin, type RunnableConfig } from '@avocet/core'
import { DEFAULTS, systemClock, type Ports } from '@avocet/core/store'
import type * as LoginPlugin from '@avocet/plugin-login'
import type * as RecrawlPlugin from '@avocet/plugin-recrawl'
import { traps } from '@avocet/plugin-traps'
import { memoryFrontier } from '@avocet/store-memory'
import { activePlugins, browserInHours, hasHours } from './active-plugins.ts'
import { checkOfProgram, type Taking } from './command-config.ts'

/**
 * Makes a crawl: over HTTP unless it is given a `fetcher`, with a store in memory unless it is given a `frontier`, and with `traps()` unless `plugins` has one.
 *
 * @throws AvocetError AVO_CONFIG_INVALID, AVO_SPIDER_INVALID or AVO_PLUGIN_INVALID, naming what was expected and what came.
 * @example
 * ```ts
 * // crawl.ts
 * import { polite } from '@avocet/preset-polite'
 * import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
 * import { crawl, spider } from 'avocet'
 *
 * const model = siteModel({ seed: 'one', hosts: [{ name: 'quotes.test', pages: { kind: 'quotes', quotes: 20 } }] })
 * const quotes = spider({
 *   name: 'quotes',
 *   seeds: model.seeds(),
 *   handlers: {
 *     *start(page) {
 *       for (const quote of page.$('.quote')) yield { text: page.$('.text', quote).text() }
 *       yield* page.links('.next a')
 *     },
 *   },
 * })
 * // Without `clock` and `fetcher`, the crawl runs in real time on the real web.
 * const clock = new VirtualClock()
 * const run = crawl({ spider: quotes, policies: polite(), clock, fetcher: simulatedWeb(model, { clock }) })
 * const report = await clock.run(() => run.run())
 * report.ended // 'done'
 * report.run.pages // 2
 * report.counts.items // 20
 * for await (const { text } of run.items()) console.assert(text.length > 10)
 * ```
 */
export function crawl<Item>(config: RunnableConfig<Item> & Taking<NoInfer<Item>>): Crawl<Item> {
  checkOfProgram(config)
  checkRunnable(config)
  const browser = browserInHours(config)
  return crawlWith(
    { ...config, ...patienceOf(config), ...(browser && { browser }), plugins: withLogin(config, withTraps(config)) },
    PORTS,
  )
}

/** Longer than any host is closed, also on the day on which the clock is put back. */
const LONGEST_CLOSED_MS = 25 * 3_600_000

/** That hosts are closed for the day says nothing of whether they can be had. */
function patienceOf({ hosts, patienceMs = DEFAULTS.patienceMs }: CrawlConfig): Pick<CrawlConfig, 'patienceMs'> {
  return { patienceMs: hasHours(hosts) ? Math.max(patienceMs, LONGEST_CLOSED_MS) : patienceMs }
}

function withTraps({ plugins = [], policies = [] }: Pick<CrawlConfig, 'plugins' | 'policies'>): readonly Plugin[] {
  return [...plugins, ...policies].some((plugin) => plugin.name === 'traps') ? plugins : [...plugins, traps()]
}

/** A spider that logs in brings the plugin that does. No other crawl loads it. */
function withLogin(config: CrawlConfig, plugins: readonly Plugin[]): readonly Plugin[] {
  const { spider, clock = systemClock(), handlerTimeoutMs = DEFAULTS.handlerTimeoutMs, hostKeying = DEFAULTS.hostKeying } = config
  if (spider.login === undefined) return plugins
  const { login } = createRequire(import.meta.url)('@avocet/plugin-login') as typeof LoginPlugin
  return [...plugins, login({ login: spider.login, clock, handlerTimeoutMs, hostKeying })]
}

/** Each is loaded when a crawl begins: a program that only reads a configuration loads neither an HTTP client nor a reader of HTML. */
const PORTS: Ports = {
  frontier: memoryFrontier,
  fetcher: async (wish) => (await import('@avocet/fetcher-http')).undiciFetcher(wish),
  pages: async () => (await import('@avocet/page')).pageOf,
  plugins: runningPlugins,
  report: async () => (await import('@avocet/at-rest')).readReport,
  orders: async () => new (await import('@avocet/at-rest')).Orders(),
  codec: async (wish) => (await import('@avocet/plugin-secrets')).secretsCodec(wish),
  delivery: async (wish) => new (await import('@avocet/delivery')).SinkDeliveries(wish),
}

/** Those that run, checked. */
function runningPlugins({ policies, ...config }: CrawlConfig): readonly Plugin[] {
  const more = policies && recrawlPolicies({ policies, ...config })
  const plugins = activePlugins({ ...config, ...(policies && more && { policies: [...policies, ...more] }) })
  checkPlugins(plugins)
  return plugins
}

/**
 * The policy of recrawls, for a configuration that has rules for them and for plugins whose documents come in rounds, unless the crawl has one of its own. No
 * other crawl loads it.
 */
function recrawlPolicies({ recrawl: rules = [], spider, policies = [], plugins = [] }: CrawlConfig): readonly Plugin[] {
  const given = [...policies, ...plugins]
  const documents = given.flatMap(({ handlers }) => Object.values(handlers ?? {}))
  if (rules.length === 0 && documents.every((document) => (document?.everyMs ?? Infinity) === Infinity)) return []
  // A crawl is made in one tick, and what is wrong with its rules is thrown in it.
  const { recrawl } = createRequire(import.meta.url)('@avocet/plugin-recrawl') as typeof RecrawlPlugin
  const policy = recrawl(rules, spider.handlers)
  const own = given.find((plugin) => plugin.policy === policy.policy)
  if (own !== undefined && rules.length > 0)
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      `expected either rules of recrawl or a plugin that decides when pages are visited again, got both (${own.name}); leave one out`,
    )
  return own === undefined ? [policy] : []
}
