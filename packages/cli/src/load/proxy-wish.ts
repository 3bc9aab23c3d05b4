// Through which proxies a crawl goes: what was typed, before the configuration, before the variables that all programs read.
//
// The plugin is loaded only for that.
import type { CrawlConfig, Plugin } from '@avocet/core'
import { environmentProxies } from './environment-proxies.ts'
import type { Origin } from './precedence.ts'

type ProxyWish = CrawlConfig['proxy']
type Routes = Exclude<ProxyWish, string | readonly string[] | undefined>

/** What is asked for, and by whom. */
export interface AskedProxies {
  /** With its origin: of `--proxy`, or of the configuration. */
  readonly wish: { readonly value: ProxyWish; readonly origin: Origin } | undefined
  /** Plugins of the configuration. */
  readonly plugins: readonly Plugin[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What it comes to. */
export interface ChosenProxies {
  readonly plugins: readonly Plugin[]
  /** For the start line, without credentials. */
  readonly lines: readonly string[]
}

/**
 * The plugins with the one for proxies. One that the configuration brings along goes before the environment, and what is typed goes before that.
 *
 * @throws AVO_CONFIG_INVALID, AVO_USAGE for what is no proxy.
 */
export async function chosenProxies({ wish, plugins, env }: AskedProxies): Promise<ChosenProxies> {
  const others = plugins.filter(({ name }) => name !== 'proxies')
  const isOwn = others.length < plugins.length
  if (wish?.value === undefined || (isOwn && wish.origin.from === 'config'))
    return isOwn ? { plugins, lines: [] } : fromEnvironment(plugins, env)
  if (wish.value === 'direct') return { plugins: others, lines: [] }
  const { name = 'proxy' } = wish.origin
  return withRoutes(others, routesFor(wish.value), wish.origin.from === 'config' ? 'proxy in the configuration' : name)
}

/** For all hosts, unless they are named. */
function routesFor(value: NonNullable<ProxyWish>): Routes {
  return typeof value === 'string' || Array.isArray(value) ? { '*': value as string | readonly string[] } : (value as Routes)
}

async function fromEnvironment(plugins: readonly Plugin[], env: AskedProxies['env']): Promise<ChosenProxies> {
  const found = environmentProxies(env)
  if (found === undefined) return { plugins, lines: [] }
  const { lines, ...chosen } = await withRoutes(plugins, found.routes, found.variables.join(', '))
  const ignored = found.ignored.map((entry) => `NO_PROXY: ${entry} is ignored; only names and single addresses are known`)
  return { ...chosen, lines: [...lines, ...ignored] }
}

async function withRoutes(plugins: readonly Plugin[], routes: object, by: string): Promise<ChosenProxies> {
  const { proxies } = await import('@avocet/plugin-proxies')
  const plugin = proxies(routes as Parameters<typeof proxies>[0])
  const shown = (plugin.options?.['routes'] ?? {}) as Readonly<Record<string, readonly string[]>>
  const ways = Object.entries(shown).flatMap(([pattern, labels]) =>
    labels.includes('direct') ? [] : [`${pattern === '*' ? 'all hosts' : pattern} through ${labels.join(' or ')}`],
  )
  const direct = Object.entries(shown).flatMap(([pattern, labels]) => (labels.includes('direct') ? [pattern] : []))
  const line = [`proxies: ${ways.join('; ')}`, ...(direct.length > 0 ? [`directly: ${direct.join(', ')}`] : []), `by ${by}`].join(
    '; ',
  )
  return { plugins: [...plugins, plugin], lines: [line] }
}
