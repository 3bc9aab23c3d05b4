// From what was typed to a crawl: which spider, with which configuration, and where each value comes from (precedence.ts).
import { AvocetError, type RunnableConfig, type Spider } from '@avocet/core'
import type { CommandConfig } from 'avocet'
import { type Clock, DEFAULTS } from '@avocet/core/store'
import { wrongOption } from '@avocet/core/plugin'
import type { ServerAddress } from '@avocet/metrics/address'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { given } from '../options/values.ts'
import { listenAddressOf } from '../options/page-address.ts'
import { commandName } from '../text/command-line.ts'
import { chosenSpider, type ChosenSpider } from '../spiders/chosen-spider.ts'
import type { Place } from '../place/place.ts'
import { loadConfig, type ConfigPlace, type LoadedConfig } from '../config/config-file.ts'
import { spiderCommands } from '../spiders/spider-files.ts'
import { filesFolderOf, withFiles, withSitemaps } from './option-plugins.ts'
import { configFor } from './left-out.ts'
import { hostOptionsOf, treatmentOf, type Treatment } from './policies.ts'
import { chosenProxies, withoutProxies, type AskedProxies } from './proxy-wish.ts'
import { flat, nested, settle, typedLayer, type Layer, type ChosenOption } from '../config/precedence.ts'

/** What a command line comes to. */
export interface CrawlPlan {
  /** All but the spider, without what is built in: that is core's to fill in. */
  readonly config: Omit<CommandConfig, 'spider' | 'store' | 'cache' | 'proxy' | 'sitemaps' | 'files' | 'processes' | 'metrics'> &
    Required<Treatment>
  /** How responses are kept, if they are. */
  readonly cache?: CacheWish
  /** Said as the crawl begins: what of the configuration it does without, and through which proxies it goes. */
  readonly openingLines: readonly string[]
  /** Undefined when nothing says which. */
  readonly chosen?: ChosenSpider
  /** The last word on each key, with what is built in. */
  readonly settled: ReadonlyMap<string, ChosenOption>
  /** How many processes crawl. Default 1. */
  readonly processes?: ProcessWish
  /** Where metrics are served. Absent: nowhere. */
  readonly metrics?: ServerAddress
  /** The store that the configuration names. */
  readonly configuredStore?: string
  /** The configuration file, when there is one. */
  readonly loaded?: LoadedConfig
}

/** How responses are kept. */
interface CacheWish {
  readonly maxBytes?: number
}

/** A number, or one for each core. */
export type ProcessWish = NonNullable<CommandConfig['processes']>

/** A crawl that is to be run. */
export interface PlannedCrawl extends Omit<CrawlPlan, 'config' | 'chosen' | 'settled' | 'loaded'> {
  readonly config: RunnableConfig & Required<Treatment>
  /** Absolute path of the file that declares the spider, or of the configuration that names it. */
  readonly path?: string
}

/** Where a crawl is planned. */
export interface PlanPlace extends ConfigPlace, Pick<Place, 'env' | 'stdin'> {
  /** The machine's. */
  readonly clock: Clock
}

/**
 * What the command crawls, and how, without a store unless the configuration file brings one.
 *
 * @throws AVO_USAGE, AVO_CONFIG_INVALID, AVO_SPIDER_LOAD, AVO_SPIDER_INVALID, AVO_SEED_INVALID.
 */
export async function plannedCrawl(options: CrawlOptions, place: PlanPlace): Promise<PlannedCrawl> {
  const { chosen, ...plan } = await planOf(options, place)
  if (chosen) return { ...plan, config: { ...plan.config, spider: chosen.spider }, ...given('path', chosen.path) }
  const here = await spiderCommands('crawl', place.folder)
  const hint =
    here === undefined ? `try ${commandName()} crawl https://quotes.example/ -o quotes.jsonl` : `in this folder: ${here}`
  throw new AvocetError('AVO_USAGE', `expected a spider or URLs, got nothing; ${hint}`)
}

/** The same with the origin of each value, also where no spider is meant. Throws like `plannedCrawl`. */
export async function planOf(options: CrawlOptions, place: PlanPlace): Promise<CrawlPlan> {
  const { folder, env, stdin, clock: machineClock } = place
  const found = oneStoreIn(await loadConfig(place, options.configPath))
  const typed = typedLayer(withAllSecrets(options, found))
  const clock = found?.config.clock ?? machineClock
  const chosen = await chosenSpider({ options, folder, clock, stdin, loaded: found })
  const { lines: unused, ...bound } = found ? configFor(found, chosen) : { lines: [] }
  const loaded = found && { ...found, ...bound }
  const settled = settle([typed, ...configLayers(loaded), ...spiderLayers(chosen?.spider), builtIn(machineClock)])
  const whole = nested(said(settled)) as Partial<CommandConfig> & { scope?: Spider['scope'] }
  const { scope, store: configuredStore, processes, metrics: written, proxy: _proxy, ...merged } = whole
  const { plugins: routed, lines: routeLines } = await chosenProxies({
    wish: settled.get('proxy') as AskedProxies['wish'],
    sessions: merged.sessions,
    plugins: merged.plugins ?? [],
    env,
  })
  const { spider: _spider, cache, sitemaps, files, sessions, ...rest } = merged
  const listing = await withSitemaps({ said: sitemaps, configured: loaded?.config.sitemaps, plugins: routed })
  const besides = filesFolderOf(chosen?.spider.name ?? 'crawl', folder, options.store ?? configuredStore)
  const filesWish = { said: files, configured: loaded?.config.files, folder: besides, place: folder }
  const plugins = await withFiles({ ...filesWish, plugins: listing })
  const hosts = hostOptionsOf(merged.hosts, { ...options, ...options.config })
  const wish = cacheWish(cache, loaded?.config.cache)
  const metrics = written === undefined ? undefined : listenAddressOf(written)
  if (metrics === undefined && written !== undefined) throw wrongOption('metrics', "a port such as 9464, or 'HOST:PORT'", written)
  const treatment = treatmentOf({ ...merged, plugins }, options.rate)
  const parts = { ...treatment, ...(hosts && { hosts }), ...(sessions && { sessions: withoutProxies(sessions) }) }
  return {
    config: { ...rest, clock, headers: merged.headers ?? {}, ...parts },
    openingLines: [...unused, ...routeLines],
    ...(wish && { cache: wish }),
    ...(configuredStore !== undefined && { configuredStore }),
    ...(processes !== undefined && { processes }),
    ...(metrics && { metrics }),
    ...(chosen && { chosen: { ...chosen, spider: withScope(chosen.spider, scope) } }),
    settled,
    ...(loaded && { loaded }),
  }
}

/** Throws AVO_CONFIG_INVALID for a configuration that names a store and brings another. */
function oneStoreIn(loaded: LoadedConfig | undefined): LoadedConfig | undefined {
  if (loaded?.config.store === undefined || loaded.config.frontier === undefined) return loaded
  throw new AvocetError('AVO_CONFIG_INVALID', `${loaded.path}: expected store or frontier, got both; leave out one of them`)
}

/** A flag adds to what the configuration keeps secret: nobody means to publish a token by naming another. */
function withAllSecrets(options: CrawlOptions, loaded: LoadedConfig | undefined): CrawlOptions {
  const { secretParameters: typed } = options.config
  const configured = loaded?.config.secretParameters
  if (typed === undefined || configured === undefined) return options
  return { ...options, config: { ...options.config, secretParameters: [...new Set([...configured, ...typed])] } }
}

/** `--cache` says that, and the configuration how much. */
function cacheWish(cache: CommandConfig['cache'], configured: CommandConfig['cache']): CacheWish | undefined {
  if (cache === undefined || cache === false) return undefined
  return typeof configured === 'object' ? configured : {}
}

function configLayers(loaded: LoadedConfig | undefined): readonly Layer[] {
  return loaded === undefined ? [] : [{ from: 'config', values: flat({ ...loaded.config }), nameOf: () => loaded.path }]
}

function spiderLayers(spider: Spider | undefined): readonly Layer[] {
  return spider === undefined ? [] : [{ from: 'spider', values: flat({ scope: spider.scope ?? {} }), nameOf: () => spider.name }]
}

function builtIn(clock: Clock): Layer {
  return { from: 'built-in', values: flat({ ...DEFAULTS, processes: 1, scope: { within: 'seed-hosts' }, clock }) }
}

/** What somebody said. */
function said(settled: ReadonlyMap<string, ChosenOption>): ReadonlyMap<string, ChosenOption> {
  return new Map([...settled].filter(([, { origin }]) => origin.from !== 'built-in'))
}

function withScope(spider: Spider, scope: Spider['scope']): Spider {
  return scope === undefined ? spider : { ...spider, scope }
}
