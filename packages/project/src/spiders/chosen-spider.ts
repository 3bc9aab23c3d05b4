// Which spider a command line means: a spider file, one by its name, the configuration's own, or the built-in one for URLs.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AvocetError, type Spider } from '@avocet/core'
import type { Clock } from '@avocet/core/store'
import { loadConfig, type ConfigPlace, type LoadedConfig } from '../config/config-file.ts'
import { originOfOption, type Origin } from '../config/precedence.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { given } from '../options/values.ts'
import { checkSeedUrl, readSeedList } from './seed-list.ts'
import { spiderByName } from './spider-by-name.ts'
import { loadSpider } from './spider-files.ts'

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
interface SpiderWish {
  readonly options: CrawlOptions
  readonly folder: string
  readonly clock: Clock
  readonly stdin: NodeJS.ReadableStream
  readonly loaded: LoadedConfig | undefined
}

const TYPED: Origin = { from: 'flag', name: 'the command line' }

/**
 * The spider that was meant; undefined when nothing says which.
 *
 * @throws AVO_USAGE, AVO_SPIDER_LOAD, AVO_SPIDER_INVALID, AVO_SEED_INVALID.
 */
export async function chosenSpider({ options, folder, clock, stdin, loaded }: SpiderWish): Promise<ChosenSpider | undefined> {
  const { targets, args, seedsPath } = options
  const secret = [...(options.config.secretParameters ?? []), ...(loaded?.config.secretParameters ?? [])]
  const listed =
    seedsPath === undefined ? [] : await readSeedList(seedsPath === '-' ? '-' : resolve(folder, seedsPath), stdin, secret)
  const listOrigin = listed.length > 0 ? originOfOption('seeds') : undefined
  const declared = await declaredSpider(options, { folder, loaded })
  if (declared !== undefined) {
    const { spider } = declared
    const seedsOrigin = listOrigin ?? { from: 'spider', name: spider.name }
    return { ...declared, spider: listed.length === 0 ? spider : { ...spider, seeds: listed }, seedsOrigin }
  }
  const urls = targets.map((target) => checkSeedUrl(target, 'crawl', secret))
  checkNoArguments(args)
  const seeds = [...urls, ...listed]
  if (seeds.length === 0) return undefined
  return {
    spider: pageSpider(seeds, clock),
    origin: { from: 'built-in' },
    seedsOrigin: urls.length > 0 ? TYPED : (listOrigin ?? TYPED),
  }
}

/** The spider of the one file among the targets, the one that the only target is the name of, or that of the configuration where there is no target. */
async function declaredSpider(
  { targets, args }: Pick<CrawlOptions, 'targets' | 'args'>,
  { folder, loaded }: Pick<SpiderWish, 'folder' | 'loaded'>,
): Promise<Omit<ChosenSpider, 'seedsOrigin'> | undefined> {
  const file = spiderFileOf(targets, folder)
  if (file !== undefined) return { spider: await loadSpider(file, args), origin: TYPED, path: file }
  const [name, ...others] = targets
  if (name === undefined) checkNoArguments(args)
  const own = loaded?.config.spider && { spider: loaded.config.spider, path: loaded.path }
  if (name === undefined) return own && { ...own, origin: { from: 'config', name: own.path } }
  if (others.length > 0) return undefined
  // That of the configuration comes first, unless only a file can take the arguments.
  if (own?.spider.name === name && Object.keys(args).length === 0) return { ...own, origin: TYPED }
  const found = await spiderByName(name, { folder, args })
  return found && { ...found, origin: TYPED }
}

/** Absolute path of the one spider file among `targets`, if there is one. */
function spiderFileOf(targets: readonly string[], folder: string): string | undefined {
  const file = targets.find((target) => isSpiderFile(target, folder))
  if (file === undefined) return undefined
  if (targets.length === 1) return resolve(folder, file)
  throw new AvocetError(
    'AVO_USAGE',
    `crawl: expected one spider file or URLs, got ${targets.join(' ')}; to replace the spider's seeds, use --seeds FILE`,
  )
}

/** Whether `target` can be a file and nothing else: a folder may be called like a spider. */
export function isSpiderFile(target: string, folder: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return false
  return SPIDER_ENDING.test(target) || statSync(resolve(folder, target), { throwIfNoEntry: false })?.isFile() === true
}

/** Only a spider file can be a function of arguments. */
function checkNoArguments(args: CrawlOptions['args']): void {
  const [name] = Object.keys(args)
  if (name === undefined) return
  throw new AvocetError(
    'AVO_USAGE',
    `-a: expected a spider file that takes ${name}, got none; name the file: spider.ts -a ${name}=…`,
  )
}

/** What was typed about it. */
interface NamedSpider {
  /** A file, or the name of a spider. */
  readonly spiderPath?: string
  readonly crawl: Pick<CrawlOptions, 'args' | 'configPath'>
}

/** The spider; undefined when there is none. Throws AVO_SPIDER_LOAD, AVO_SPIDER_INVALID, AVO_CONFIG_INVALID, and AVO_USAGE for arguments of no file. */
export async function namedSpider(named: NamedSpider, place: ConfigPlace): Promise<Spider | undefined> {
  return (await spiderToReload(named, place)).spider
}

/** The same, and what `named` is once the spider is found: its file is loaded again, and no other is looked at. Throws like `namedSpider`. */
export async function spiderToReload<Named extends NamedSpider>(
  named: Named,
  place: ConfigPlace,
): Promise<{ readonly spider: Spider | undefined; readonly named: Named }> {
  const { spiderPath, crawl } = named
  const { folder } = place
  const { args, configPath } = crawl
  const isFile = spiderPath !== undefined && isSpiderFile(spiderPath, folder)
  const loaded = isFile ? undefined : await loadConfig(place, configPath)
  const found = await declaredSpider({ targets: spiderPath === undefined ? [] : [spiderPath], args }, { folder, loaded })
  if (found !== undefined)
    return {
      spider: found.spider,
      named: isFile || found.path === loaded?.path ? named : { ...named, ...given('spiderPath', found.path) },
    }
  return { spider: spiderPath === undefined ? undefined : await loadSpider(resolve(folder, spiderPath), args), named }
}

/**
 * A spider for `seeds`, named after the first one's host, so that running the same command again resumes.
 *
 * @param clock gives the time of `fetchedAt`.
 */
export function pageSpider(seeds: readonly string[], clock: { now(): number }): Spider {
  return {
    name: nameOf(seeds[0] ?? ''),
    seeds,
    handlers: {
      *start(page) {
        // Beside URL and time no field differs on every page of an endless site: none would be closed.
        yield {
          url: page.url.href,
          status: page.response.status,
          title: page.title,
          links: page.anchors.filter(({ element }) => element === 'a').length,
          fetchedAt: new Date(clock.now()).toISOString(),
        }
        yield* page.links()
      },
    },
  }
}

/** Host and port with everything but letters, digits, `.` and `-` replaced: a file name. */
function nameOf(url: string): string {
  const name =
    URL.parse(url)
      ?.host.replace(/[^\w.-]+/g, '-')
      .replace(/^[.-]+|-+$/g, '') ?? ''
  return name === '' ? 'pages' : name.slice(0, 100)
}
