// The configuration of today with the plugins that the command adds for its options, for commands that read a store.
import type { CrawlConfig } from '@avocet/core'
import type { Place } from '../place/place.ts'
import { type ConfigPlace, type LoadedConfig, loadConfig } from '../config/config-file.ts'
import { chosenProxies, withoutProxies } from './proxy-wish.ts'
import { withSitemaps } from './option-plugins.ts'

/**
 * The configuration, with the plugins for proxies and sitemaps among its own. What a command line said is not known.
 *
 * @throws AVO_CONFIG_INVALID, AVO_USAGE.
 */
export async function configOfToday(
  place: ConfigPlace & Pick<Place, 'env'>,
  path: string | undefined,
): Promise<Partial<CrawlConfig>> {
  const { env } = place
  const loaded = await loadConfig(place, path)
  const { proxy, sessions, sitemaps, plugins = [], ...rest }: Partial<CrawlConfig> = loaded?.config ?? {}
  const wish = wishOf(proxy, { env, ...(loaded && { loaded }) })
  const { plugins: routed } = await chosenProxies({ wish, sessions, plugins, env })
  const all = await withSitemaps({ said: sitemaps, configured: sitemaps, plugins: routed })
  return { ...rest, ...(sessions && { sessions: withoutProxies(sessions) }), plugins: all }
}

/** The environment goes before the configuration. */
function wishOf(
  proxy: CrawlConfig['proxy'],
  { env, loaded }: { readonly env: Readonly<Record<string, string | undefined>>; readonly loaded?: LoadedConfig },
): Parameters<typeof chosenProxies>[0]['wish'] {
  const { AVOCET_PROXY: typed } = env
  if (typed !== undefined && typed !== '') return { value: typed, origin: { from: 'environment', name: 'AVOCET_PROXY' } }
  return proxy === undefined || loaded === undefined ? undefined : { value: proxy, origin: { from: 'config', name: loaded.path } }
}
