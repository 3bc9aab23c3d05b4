// Which seeds a crawl asks for through proxies: their names are resolved there, so what this machine knows of them says nothing.
import type { RunnableConfig, Plugin, Seed } from '@avocet/core'
import { hostKeyOf } from '@avocet/core/store'
import { activePlugins, explainHost } from '@avocet/core/tools'

type Config = Omit<RunnableConfig, 'spider'>

/** The plugins that say which way requests go. */
export function routingPlugins(config: Config): readonly Plugin[] {
  return activePlugins(config).filter(({ name }) => name === 'proxies')
}

/** Whether a seed goes through a proxy, and never directly. */
export function isBehindProxy({ url }: Seed, config: Config): boolean {
  const plugins = routingPlugins(config)
  const record = { hostKey: hostKeyOf(url, config.hostKeying ?? 'host'), waiting: 0, memory: {} }
  const { proxies } = explainHost({ plugins, record, now: 0, nextUrl: url, url }).values['proxies'] ?? {}
  return Array.isArray(proxies) && proxies.length > 0 && !proxies.includes('direct')
}
