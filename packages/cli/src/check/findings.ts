// All that `avocet check` looks at, in the order in which it would go wrong: the later ones need the earlier ones.
import { relative } from 'node:path'
import { AvocetError, crawl, memoryFrontier, type Clock, type Fetcher } from '@avocet/core'
import { planOf, type CrawlPlan } from '../load/plan-crawl.ts'
import { storePathOf } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import type { Place } from '../place.ts'
import { dnsFindings, namesOf } from './dns.ts'
import type { Finding } from './finding.ts'
import { handlerFindings } from './handler-names.ts'
import { recordedPageFindings } from './recorded-page.ts'
import { robotsFindings } from './robots.ts'
import { seedsSeen } from './seeds.ts'
import { storeFindings } from './store.ts'

/** What was typed. */
export interface CheckWish {
  readonly options: CrawlOptions
  /** Nothing that needs the network. */
  readonly offline: boolean
}

/** For a crawl that is made and never run. */
const SILENT: Fetcher = { fetch: () => () => undefined, close: () => Promise.resolve() }

/** Gives each line as soon as it is known: the network may take a while. Throws AVO_USAGE. */
export async function* findings({ options, offline }: CheckWish, place: Place): AsyncGenerator<Finding> {
  const { folder, clock } = place
  const plan = await planOf(options, place).catch((error: unknown) => planProblem(error))
  if ('subject' in plan) {
    yield plan
    return
  }
  const { loaded, chosen } = plan
  yield { subject: 'config', state: 'ok', said: loaded ? relative(folder, loaded.path) : 'none: what is built in holds' }
  yield agentFinding(plan)
  if (!chosen) {
    yield {
      subject: 'spider',
      state: 'fail',
      said: 'none; name a spider file, or put spider: … into avocet.config.ts (avocet list shows them)',
    }
    return
  }
  const { spider, path } = chosen
  yield {
    subject: 'spider',
    state: 'ok',
    said: path === undefined ? spider.name : `${spider.name}, from ${relative(folder, path)}`,
  }
  const { seeds, findings: ofSeeds } = await seedsSeen(spider, clock)
  yield* ofSeeds
  const ofPlugins = pluginsFinding(plan, clock)
  yield ofPlugins
  // Without a file it is the built-in spider for URLs.
  if (path !== undefined) yield* await handlerFindings(spider, path, seeds)
  yield* await recordedPageFindings({ spider, seeds, folder }, clock)
  if (plan.config.frontier && options.store === undefined)
    yield { subject: 'store', state: 'ok', said: "the configuration's own: not opened here" }
  else yield* await storeFindings(storePathOf(spider.name, folder, options.store), clock)
  if (offline || [...ofSeeds, ofPlugins].some(({ state }) => state === 'fail')) return
  const { findings: ofNames, nameless } = await dnsFindings(seeds, clock, plan.config)
  yield* ofNames
  const reachable = seeds.filter(({ url }) => !nameless.has(new URL(url).hostname))
  if (reachable.length > 0) yield* await robotsFindings(plan.config, reachable)
}

function planProblem(error: unknown): Finding {
  if (!(error instanceof AvocetError) || error.code === 'AVO_USAGE') throw error
  const subject = error.code === 'AVO_CONFIG_INVALID' ? 'config' : error.code === 'AVO_SEED_INVALID' ? 'seeds' : 'spider'
  return { subject, state: 'fail', said: `${error.message} (${error.code})` }
}

/** Somebody whose site is crawled must be able to find out by whom, and complain. */
function agentFinding({ settled }: CrawlPlan): Finding {
  const told = settled.get('userAgent')
  const agent = String(told?.value)
  const todo = "say who you are and where to complain: userAgent: 'name (+https://your.example/bot)'"
  if (told?.origin.from === 'built-in') return { subject: 'agent', state: 'warn', said: `nobody is named but Avocet; ${todo}` }
  if (/https?:\/\/\S+|\S+@\S+\.\S+/.test(agent)) return { subject: 'agent', state: 'ok', said: agent }
  return { subject: 'agent', state: 'warn', said: `'${agent}' names no contact; ${todo}` }
}

/** Core checks plugins, ranges and the spider when a crawl is made. */
function pluginsFinding({ config, chosen }: CrawlPlan, clock: Clock): Finding {
  const spider = { name: 'check', seeds: ['http://127.0.0.1/'], handlers: chosen?.spider.handlers ?? {} }
  try {
    namesOf(config, clock).close()
    const { resolver: _resolver, nameServers: _servers, ...rest } = config
    crawl({ ...(config.fetcher ? config : { ...rest, fetcher: SILENT }), spider, frontier: memoryFrontier() })
    const names = config.plugins.map(({ name }) => name)
    return { subject: 'plugins', state: 'ok', said: names.length === 0 ? 'none' : names.join(', ') }
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    return {
      subject: error.code === 'AVO_PLUGIN_INVALID' ? 'plugins' : 'config',
      state: 'fail',
      said: `${error.message} (${error.code})`,
    }
  }
}
