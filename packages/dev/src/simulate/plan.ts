// From what was typed to what is simulated: which web, which spider with which seeds, under which policies.
//
// As with `avocet crawl` the nearest configuration counts. The seeds are the web's own, unless the spider's own are in the web.
import { resolve } from 'node:path'
import type { RunnableConfig, Spider } from '@avocet/core'
import type { CommandConfig } from 'avocet'
import type { SiteModel } from '@avocet/simulator'
import { isSpiderFile, namedSpider, checkConfig, loadConfig, loadModule, spiderSeedsOf } from '@avocet/project/load'
import type { ConfigPlace } from '@avocet/project/load'
import { configFor, treatmentOf, type Treatment, withFiles, withSitemaps } from '@avocet/project/plan'
import { given } from '@avocet/project/options'

/** What was typed, checked. */
export interface SimulateOptions {
  /** A spider, by its file or name, or a configuration. */
  readonly target?: string
  readonly configPath?: string
  /** Spider arguments. */
  readonly args: Readonly<Record<string, string>>
  /** Name of a world, or a file. */
  readonly web: string
  readonly hours: number
  readonly seed: string
  readonly config: { readonly concurrency?: number }
  readonly json: boolean
  /** Only say which webs there are. */
  readonly list: boolean
}

/** A configuration with its policies made. */
export type SimulatedConfig = RunnableConfig & Required<Treatment>

/** The built-in spider: follows every link, and yields the URL as an item: a spider that yields none gets a warning. */
const FOLLOW: Spider = {
  name: 'simulation',
  seeds: [],
  handlers: {
    *start(page) {
      if (page.isHtml) yield* page.links()
      yield { url: page.request.url }
    },
  },
}

/** Seeds that are looked at to see whether a spider knows the web. */
const MOST_LOOKED_AT = 1_000

/** The configuration to simulate. Throws AVO_SPIDER_…, AVO_CONFIG_INVALID, AVO_SEED_INVALID. */
export async function planSimulation(options: SimulateOptions, model: SiteModel, place: ConfigPlace): Promise<SimulatedConfig> {
  const { config, spider } = await loaded(options, place)
  // What a simulated site answers is not kept for real.
  const { cache: _cache, sitemaps, files, ...treated } = config
  const listing = await withSitemaps({ said: sitemaps, configured: sitemaps, plugins: config.plugins ?? [] })
  // Nothing is written to the folder: the plugin runs without its effects.
  const plugins = await withFiles({ said: files, configured: files, plugins: listing, folder: place.folder, place: place.folder })
  const merged = { ...treated, plugins, ...options.config }
  return { ...merged, spider: await inWeb(spider ?? FOLLOW, model), ...treatmentOf(merged) }
}

interface Loaded {
  readonly config: Partial<CommandConfig>
  readonly spider?: Spider
}

async function loaded({ target, args, configPath }: SimulateOptions, place: ConfigPlace): Promise<Loaded> {
  const { folder } = place
  if (target !== undefined && isSpiderFile(target, folder) && (await isConfig(resolve(folder, target)))) {
    const path = resolve(folder, target)
    const config = checkConfig(await loadModule(path, 'AVO_CONFIG_INVALID'), path)
    return { config, ...(config.spider && { spider: config.spider }) }
  }
  const found = await loadConfig(place, configPath)
  const spider =
    target === undefined
      ? found?.config.spider
      : await namedSpider({ spiderPath: target, crawl: { args, ...given('configPath', configPath) } }, place)
  return {
    config:
      found === undefined ? {} : configFor(found, spider ? { spider } : { spider: FOLLOW, origin: { from: 'built-in' } }).config,
    ...(spider && { spider }),
  }
}

/** A spider has handlers, or is made by a function. */
async function isConfig(path: string): Promise<boolean> {
  const exported = await loadModule(path, 'AVO_SPIDER_LOAD')
  return typeof exported === 'object' && exported !== null && !('handlers' in exported) && !('seeds' in exported)
}

async function inWeb(spider: Spider, model: SiteModel): Promise<Spider> {
  const hosts = new Set(model.hosts.map(({ name }) => URL.parse(`${model.baseOf(name)}/`)?.host))
  let looked = 0
  for await (const { url } of spiderSeedsOf(spider)) {
    if (hosts.has(URL.parse(url)?.host)) return spider
    if (++looked >= MOST_LOOKED_AT) break
  }
  return { ...spider, seeds: model.seeds() }
}
