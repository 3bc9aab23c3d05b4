// Which spider a command line means: a spider file, the configuration's own, or the built-in one for URLs.
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError, type Clock, type Spider } from '@avocet/core'
import type { CrawlOptions } from '../options/crawl-options.ts'
import type { LoadedConfig } from './config-file.ts'
import { pageSpider } from './page-spider.ts'
import type { Origin } from './precedence.ts'
import { checkSeedUrl, readSeedList } from './seed-list.ts'
import { loadSpider } from './spider-file.ts'
import { originOfOption } from './typed-layers.ts'

const SPIDER_ENDING = /\.[cm]?[jt]sx?$/

/** A spider, and where it and its seeds come from. */
export interface ChosenSpider {
  readonly spider: Spider
  readonly origin: Origin
  readonly seedsOrigin: Origin
  /** Absolute path of the file that declares it, or of the configuration that names it. */
  readonly path?: string
}

/** What the choice depends on. */
export interface SpiderWish {
  readonly options: CrawlOptions
  readonly folder: string
  readonly clock: Clock
  readonly loaded: LoadedConfig | undefined
}

const TYPED: Origin = { from: 'flag', name: 'the command line' }

/**
 * The spider that was meant; undefined when nothing says which.
 *
 * @throws AVO_USAGE, AVO_SPIDER_LOAD, AVO_SPIDER_INVALID, AVO_SEED_INVALID.
 */
export async function chosenSpider({ options, folder, clock, loaded }: SpiderWish): Promise<ChosenSpider | undefined> {
  const { targets, args, seedsPath } = options
  const secret = [...(options.config.secretParameters ?? []), ...(loaded?.config.secretParameters ?? [])]
  const listed = seedsPath === undefined ? [] : await readSeedList(seedsPath === '-' ? '-' : resolve(folder, seedsPath), secret)
  const listOrigin = listed.length > 0 ? originOfOption('seeds', options) : undefined
  const file = await spiderFileOf(targets, folder)
  if (file !== undefined) {
    const spider = withSeeds(await loadSpider(file, args), listed)
    return { spider, origin: TYPED, seedsOrigin: listOrigin ?? { from: 'spider', name: spider.name }, path: file }
  }
  const urls = targets.map((target) => checkSeedUrl(target, 'crawl', secret))
  checkNoArguments(args)
  if (urls.length === 0 && loaded?.config.spider) {
    const spider = withSeeds(loaded.config.spider, listed)
    const seedsOrigin = listOrigin ?? { from: 'spider', name: spider.name }
    return { spider, origin: { from: 'config', name: loaded.path }, seedsOrigin, path: loaded.path }
  }
  const seeds = [...urls, ...listed]
  if (seeds.length === 0) return undefined
  return {
    spider: pageSpider(seeds, clock),
    origin: { from: 'built-in' },
    seedsOrigin: urls.length > 0 ? TYPED : (listOrigin ?? TYPED),
  }
}

/** Absolute path of the one spider file among `targets`, if there is one. */
async function spiderFileOf(targets: readonly string[], folder: string): Promise<string | undefined> {
  const files = await Promise.all(targets.map((target) => isSpiderFile(target, folder)))
  const file = targets[files.indexOf(true)]
  if (file === undefined) return undefined
  if (targets.length === 1) return resolve(folder, file)
  throw new AvocetError(
    'AVO_USAGE',
    `crawl: expected one spider file or URLs, got ${targets.join(' ')}; seeds in place of the spider's own go into --seeds FILE`,
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

/** Only a spider file can be a function of arguments. */
function checkNoArguments(args: CrawlOptions['args']): void {
  const [given] = Object.keys(args)
  if (given === undefined) return
  throw new AvocetError(
    'AVO_USAGE',
    `-a: expected a spider file to give ${given} to, got none; name the file: avocet crawl spider.ts -a ${given}=…`,
  )
}

function withSeeds(spider: Spider, listed: readonly string[]): Spider {
  return listed.length === 0 ? spider : { ...spider, seeds: listed }
}
