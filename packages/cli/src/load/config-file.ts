// Finds and loads `avocet.config.*`: upwards from a folder, or where it was told to be.
import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { CrawlConfig } from '@avocet/core'
import { checkConfig } from './check-config.ts'
import { checkSpider } from './check-spider.ts'
import { loadModule } from './load-module.ts'

/** In the order in which they win inside one folder. */
const FILE_NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `avocet.config.${ending}`)

/** A configuration and the file that it came from. */
export interface LoadedConfig {
  readonly path: string
  readonly config: Partial<CrawlConfig>
}

/**
 * The configuration at `given`, or the nearest one from `folder` upwards; undefined when there is none.
 *
 * @throws AVO_CONFIG_INVALID, AVO_SPIDER_INVALID.
 */
export async function loadConfig(folder: string, given?: string): Promise<LoadedConfig | undefined> {
  const path = given === undefined ? await findConfig(folder) : resolve(folder, given)
  if (path === undefined) return undefined
  const config = checkConfig(await loadModule(path, 'AVO_CONFIG_INVALID'), path)
  if (config.spider !== undefined) checkSpider(config.spider, path)
  return { path, config }
}

async function findConfig(folder: string): Promise<string | undefined> {
  for (const name of FILE_NAMES) {
    const path = join(folder, name)
    if (await exists(path)) return path
  }
  const parent = dirname(folder)
  return parent === folder ? undefined : findConfig(parent)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
