// Finds and loads `avocet.config.*`: upwards from a folder to the root of its project, or where the user says.
//
// A configuration is code. So the search ends at the nearest package.json, and without one it does not begin: a file in /tmp or /home is nobody's
// project. What was found is run only if nobody else can have written it, and is named unless it is in the current folder.
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { option, type OptionRules } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import { checkCrawl } from '@avocet/config'
import type { CommandConfig } from 'avocet'
import { say } from '../output/people.ts'
import type { Place } from '../place/place.ts'
import { checkFound, loadModule } from './load-module.ts'

/** In the order in which they win inside one folder. */
const FILE_NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `avocet.config.${ending}`)

/** A configuration and the file that it came from. */
export interface LoadedConfig {
  readonly path: string
  readonly config: Partial<CommandConfig>
}

/** Where a configuration is looked for, and where it is said which one was found. */
export type ConfigPlace = Pick<Place, 'folder' | 'stderr'>

/** A module is run once in a process, and said once. */
const said = new Set<string>()

/**
 * The configuration at `given`, or the nearest one from the folder up to the root of its project; undefined when there is none.
 *
 * @throws AVO_CONFIG_INVALID, AVO_CONFIG_UNTRUSTED, AVO_SPIDER_INVALID.
 */
export async function loadConfig({ folder, stderr }: ConfigPlace, given?: string): Promise<LoadedConfig | undefined> {
  const path = given === undefined ? foundConfig(folder) : resolve(folder, given)
  if (path === undefined) return undefined
  if (given === undefined) await checkFound(path, `--config ${path}`)
  if (given === undefined && dirname(path) !== folder && !said.has(path)) {
    said.add(path)
    say(stderr, `configuration: ${relative(folder, path)}`)
  }
  const config = checkConfig(await loadModule(path, 'AVO_CONFIG_INVALID'), path)
  return { path, config }
}

/** Where that is which a command finds in `folder`; undefined when there is none. */
function foundConfig(folder: string): string | undefined {
  const root = projectRoot(folder)
  for (let at = folder; ; at = dirname(at)) {
    for (const name of FILE_NAMES) {
      const path = join(at, name)
      if (existsSync(path)) return path
    }
    if (at === root || root === undefined) return undefined
  }
}

/** The nearest folder upwards with a package.json. */
function projectRoot(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : projectRoot(parent)
}

// Whether the value that a file exports is a configuration.

type CommandOptions = Pick<CommandConfig, 'store' | 'metrics' | 'processes' | 'cache' | 'sitemaps' | 'files' | 'proxy'>

const isTable = (value: unknown): boolean => typeof value === 'object' && value !== null
const CACHE_BOUNDS = option.tableOf({ maxBytes: option.wholeNumber(2 ** 20), rules: option.oneOf('http', 'none') })
const CACHE = option.satisfying('true, false, or { maxBytes: 1_073_741_824 }', (value) => typeof value === 'boolean')
const PORT = "a port such as 9464, or 'HOST:PORT'"
const SITEMAPS = 'true, false, a list of URLs, or the options of sitemaps()'
const PROXY = "a proxy URL, a list of them, an object of these by host pattern, or 'direct'"

/** One rule for each. Options of plugins are checked by them, and URLs of proxies, whose passwords are not quoted. */
const COMMAND_RULES: OptionRules<CommandOptions> = {
  store: option.nonEmptyText,
  metrics: option.satisfying(PORT, (value) => typeof value === 'number' || typeof value === 'string'),
  // As many as a machine could have cores.
  processes: option.either(option.wholeNumber(1, 1_024), option.oneOf('auto')),
  cache: { ...CACHE, problem: (value, path) => (isTable(value) ? CACHE_BOUNDS : CACHE).problem(value, path) },
  sitemaps: option.satisfying(SITEMAPS, (value) => typeof value === 'boolean' || isTable(value)),
  files: option.either(option.flag, option.anyObject),
  proxy: option.satisfying(PROXY, (value) => typeof value === 'string' || isTable(value)),
}

/**
 * The value itself, if it is a configuration, with the spider in it.
 *
 * @throws AVO_CONFIG_INVALID, AVO_SPIDER_INVALID.
 */
export function checkConfig(value: unknown, from: string): Partial<CommandConfig> {
  checkCrawl(value, from, COMMAND_RULES)
  return value
}

// The store that it names (`store`), for commands that read one without planning a crawl.

/** What the configuration says of stores. */
export interface ConfiguredStore {
  readonly store?: string
  /** Name of the configuration's spider. */
  readonly spider?: string
  /** Why it cannot be read: commands that need none work all the same. */
  readonly problem?: string
}

/** Runs the configuration. Throws only for one that was named. */
export async function configuredStore(place: ConfigPlace, configPath?: string): Promise<ConfiguredStore> {
  try {
    const { store, spider } = (await loadConfig(place, configPath))?.config ?? {}
    return { ...(store !== undefined && { store }), ...(spider !== undefined && { spider: spider.name }) }
  } catch (error) {
    if (configPath !== undefined) throw error
    return { problem: messageOf(error) }
  }
}
