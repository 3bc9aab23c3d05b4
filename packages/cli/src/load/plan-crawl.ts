// From what was typed to a crawl: which spider, with which configuration. Flags win over the environment (yargs sees to that), over the
// configuration file, over the spider, over what is built in. So do seeds: those of `--seeds` are the crawl's, and the spider's own are not.
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError, systemClock, type Clock, type CrawlConfig, type Spider } from '@avocet/core'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { loadConfig } from './config-file.ts'
import { pageSpider } from './page-spider.ts'
import { hostsOf, pluginsOf } from './policies.ts'
import { checkSeedUrl, readSeedList } from './seed-list.ts'
import { loadSpider } from './spider-file.ts'

const SPIDER_ENDING = /\.[cm]?[jt]sx?$/

/**
 * The configuration of the crawl, without a store unless the configuration file brings one.
 *
 * @throws AVO_USAGE, AVO_CONFIG_INVALID, AVO_SPIDER_LOAD, AVO_SPIDER_INVALID, AVO_SEED_INVALID.
 */
export async function planCrawl(options: CrawlOptions, folder: string, machineClock: Clock): Promise<CrawlConfig> {
  const clock = options.timeScale === undefined ? machineClock : systemClock({ scale: options.timeScale })
  const config = (await loadConfig(folder, options.configPath))?.config ?? {}
  const listed =
    options.seedsPath === undefined
      ? []
      : await readSeedList(options.seedsPath === '-' ? '-' : resolve(folder, options.seedsPath))
  const spider = await spiderOf({ options, folder, clock, listed, config })
  const headers = { ...config.headers, ...options.headers }
  const merged = { ...config, ...options.config }
  const hosts = hostsOf(config.hosts, options)
  return {
    clock,
    ...merged,
    ...(options.timeScale !== undefined && { clock }),
    headers,
    plugins: pluginsOf(merged),
    ...(hosts && { hosts }),
    spider: withScope(spider, options),
  }
}

interface SpiderWish {
  readonly options: CrawlOptions
  readonly folder: string
  readonly clock: Clock
  readonly listed: readonly string[]
  readonly config: Partial<CrawlConfig>
}

async function spiderOf({ options, folder, clock, listed, config }: SpiderWish): Promise<Spider> {
  const { targets, args } = options
  const files = await Promise.all(targets.map((target) => isSpiderFile(target, folder)))
  const file = targets[files.indexOf(true)]
  if (file === undefined) {
    const urls = targets.map((target) => checkSeedUrl(target, 'crawl'))
    checkNoArguments(args)
    if (urls.length === 0 && config.spider) return withSeeds(config.spider, listed)
    const seeds = [...urls, ...listed]
    if (seeds.length > 0) return pageSpider(seeds, clock)
    throw new AvocetError(
      'AVO_USAGE',
      'crawl: expected a spider file or URLs, got nothing; try avocet crawl https://quotes.example/ -o quotes.jsonl',
    )
  }
  if (targets.length > 1) {
    throw new AvocetError(
      'AVO_USAGE',
      `crawl: expected one spider file or URLs, got ${targets.join(' ')}; seeds in place of the spider's own go into --seeds FILE`,
    )
  }
  return withSeeds(await loadSpider(resolve(folder, file), args), listed)
}

/** Only a spider file can be a function of arguments. */
function checkNoArguments(args: CrawlOptions['args']): void {
  const [given] = Object.keys(args)
  if (given === undefined) return
  throw new AvocetError(
    'AVO_USAGE',
    `-a: expected a spider file to give ${given} to, got none; name the file: avocet crawl spider.ts -a ${given}=…`,
  )
}

async function isSpiderFile(target: string, folder: string): Promise<boolean> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return false
  if (SPIDER_ENDING.test(target)) return true
  return access(resolve(folder, target)).then(
    () => true,
    () => false,
  )
}

function withSeeds(spider: Spider, listed: readonly string[]): Spider {
  return listed.length === 0 ? spider : { ...spider, seeds: listed }
}

function withScope(spider: Spider, { within, maxDepth }: CrawlOptions): Spider {
  if (within === undefined && maxDepth === undefined) return spider
  return {
    ...spider,
    scope: { ...spider.scope, ...(within !== undefined && { within }), ...(maxDepth !== undefined && { maxDepth }) },
  }
}
