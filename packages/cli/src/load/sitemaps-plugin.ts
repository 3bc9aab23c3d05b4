// The plugin for sitemaps and feeds, which is loaded where a crawl has the option `sitemaps` and not before.
import type { CrawlConfig, Plugin } from '@avocet/core'
import type * as Sitemaps from '@avocet/plugin-sitemaps'

/** What is said of sitemaps: by the last word on it, and by the configuration, which may say more than on. */
interface SitemapsWish {
  readonly said: CrawlConfig['sitemaps']
  readonly configured: CrawlConfig['sitemaps']
  readonly plugins: readonly Plugin[]
}

/** `plugins` with that for sitemaps, if it is wanted and not among them. Throws AVO_CONFIG_INVALID. */
export async function withSitemaps({ said, configured, plugins }: SitemapsWish): Promise<readonly Plugin[]> {
  if (said === undefined || said === false || plugins.some(({ name }) => name === 'sitemaps')) return plugins
  const { sitemaps } = await import('@avocet/plugin-sitemaps')
  return [...plugins, sitemaps(optionsOf(said === true && typeof configured === 'object' ? configured : said))]
}

function optionsOf(said: Exclude<CrawlConfig['sitemaps'], undefined | false>): Sitemaps.SitemapsOptions {
  if (said === true) return {}
  return Array.isArray(said) ? { urls: said as readonly string[] } : (said as Sitemaps.SitemapsOptions)
}
