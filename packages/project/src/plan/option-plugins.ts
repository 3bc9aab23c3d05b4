// Plugins that are loaded where a crawl has an option for them and not before: files, sitemaps; and the configuration with those that a store is read by.
import { resolve } from 'node:path'
import type * as Files from '@avocet/plugin-files'
import type * as Sitemaps from '@avocet/plugin-sitemaps'
import type { Plugin } from '@avocet/core'
import type { CommandConfig } from 'avocet'
import type { Place } from '../place/place.ts'
import { type ConfigPlace, loadConfig } from '../config/config-file.ts'
import { chosenProxies, withoutProxies } from './proxy-wish.ts'
import { besideStore, IN_MEMORY, localPlace, storePathOf } from '../store/store-path.ts'

/** Of folders of files, beside a store. */
const FILES_ENDING = '.files'

/** What is said of files: by the last word on it, and by the configuration, which may say more than on. */
interface FilesWish {
  readonly said: CommandConfig['files']
  readonly configured: CommandConfig['files']
  readonly plugins: readonly Plugin[]
  /** Where they are saved unless the options say so; absolute. */
  readonly folder: string
  /** Where the command runs. */
  readonly place: string
}

/** `plugins` with that for files, if it is wanted and not among them. Throws AVO_CONFIG_INVALID. */
export async function withFiles({ said, configured, plugins, folder, place }: FilesWish): Promise<readonly Plugin[]> {
  if (said === undefined || said === false || plugins.some(({ name }) => name === 'files')) return plugins
  const { files } = await import('@avocet/plugin-files')
  const wish = said === true && typeof configured === 'object' ? configured : said
  const options: Files.FilesOptions = wish === true ? {} : wish
  const { folder: own } = options
  return [...plugins, files({ ...options, folder: typeof own === 'string' ? resolve(place, own) : folder })]
}

/** The folder for the files of the crawl called `name`: beside its store. `given`: what was typed of that. */
export function filesFolderOf(name: string, folder: string, given?: string): string {
  const store = storePathOf(name, folder, given === IN_MEMORY ? undefined : given)
  return filesFolderAt(localPlace(folder, store))
}

/** The same, of the store at a path. */
export function filesFolderAt(storePath: string): string {
  return besideStore(storePath, FILES_ENDING)
}

// The plugin for sitemaps and feeds, which is loaded where a crawl has the option `sitemaps` and not before.

/** What is said of sitemaps: by the last word on it, and by the configuration, which may say more than on. */
interface SitemapsWish {
  readonly said: CommandConfig['sitemaps']
  readonly configured: CommandConfig['sitemaps']
  readonly plugins: readonly Plugin[]
}

/** `plugins` with that for sitemaps, if it is wanted and not among them. Throws AVO_CONFIG_INVALID. */
export async function withSitemaps({ said, configured, plugins }: SitemapsWish): Promise<readonly Plugin[]> {
  if (said === undefined || said === false || plugins.some(({ name }) => name === 'sitemaps')) return plugins
  const { sitemaps } = await import('@avocet/plugin-sitemaps')
  return [...plugins, sitemaps(optionsOf(said === true && typeof configured === 'object' ? configured : said))]
}

function optionsOf(said: Exclude<CommandConfig['sitemaps'], undefined | false>): Sitemaps.SitemapsOptions {
  if (said === true) return {}
  return Array.isArray(said) ? { urls: said as readonly string[] } : (said as Sitemaps.SitemapsOptions)
}

// The configuration of today with the plugins that the command adds for its options, for commands that read a store.

/**
 * The configuration, with the plugins for proxies and sitemaps among its own. What a command line said is not known.
 *
 * @throws AVO_CONFIG_INVALID, AVO_USAGE.
 */
export async function configOfToday(
  place: ConfigPlace & Pick<Place, 'env'>,
  path: string | undefined,
): Promise<Partial<CommandConfig>> {
  const { env } = place
  const loaded = await loadConfig(place, path)
  const { proxy, sessions, sitemaps, plugins = [], ...rest }: Partial<CommandConfig> = loaded?.config ?? {}
  const wish =
    proxy === undefined || loaded === undefined
      ? undefined
      : { value: proxy, origin: { from: 'config', name: loaded.path } as const }
  const { plugins: routed } = await chosenProxies({ wish, sessions, plugins, env })
  const all = await withSitemaps({ said: sitemaps, configured: sitemaps, plugins: routed })
  return { ...rest, ...(sessions && { sessions: withoutProxies(sessions) }), plugins: all }
}
