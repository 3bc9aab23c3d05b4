// The spider whose handlers are tried: the file that was named, or the configuration's own.
import { resolve } from 'node:path'
import { AvocetError, type Spider } from '@avocet/core'
import { loadConfig, type ConfigPlace } from '../load/config-file.ts'
import { loadSpider } from '../load/spider-file.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'

/** What was typed about it. */
export interface SpiderWish {
  readonly spiderPath?: string
  readonly crawl: Pick<CrawlOptions, 'args' | 'configPath'>
}

/** The spider; undefined when there is none. Throws AVO_SPIDER_LOAD, AVO_SPIDER_INVALID, AVO_CONFIG_INVALID, and AVO_USAGE for arguments of no file. */
export async function namedSpider({ spiderPath, crawl }: SpiderWish, place: ConfigPlace): Promise<Spider | undefined> {
  if (spiderPath !== undefined) return loadSpider(resolve(place.folder, spiderPath), crawl.args)
  const [given] = Object.keys(crawl.args)
  if (given !== undefined)
    throw new AvocetError(
      'AVO_USAGE',
      `-a: expected a spider file to give ${given} to, got none; name the file: --spider spider.ts`,
    )
  return (await loadConfig(place, crawl.configPath))?.config.spider
}
