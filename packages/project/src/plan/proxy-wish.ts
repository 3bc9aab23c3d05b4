// The proxies of a crawl: those of `--proxy`, else of the configuration, else of HTTPS_PROXY and the like. The plugin is loaded only if there are any.
import { AvocetError, type CrawlConfig, type Plugin } from '@avocet/core'
import { environmentProxies } from './environment-proxies.ts'
import type { Origin } from '../config/precedence.ts'

type ProxyWish = CrawlConfig['proxy']
type Sessions = NonNullable<CrawlConfig['sessions']>
type SessionRoutes = Readonly<Record<string, string | readonly string[]>>
type Routes = Exclude<ProxyWish, string | readonly string[] | undefined>

/** What is asked for, and by whom. */
export interface AskedProxies {
  /** With its origin: of `--proxy`, or of the configuration. */
  readonly wish: { readonly value: ProxyWish; readonly origin: Origin } | undefined
  /** Of the configuration. */
  readonly sessions: Sessions | undefined
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
export async function chosenProxies({ wish, sessions, plugins, env }: AskedProxies): Promise<ChosenProxies> {
  const others = plugins.filter(({ name }) => name !== 'proxies')
  const isOwn = others.length < plugins.length
  const ofSessions = routesOfSessions(sessions)
  if (isOwn && ofSessions !== undefined) throw new AvocetError('AVO_CONFIG_INVALID', TWICE)
  if (wish?.value === undefined || (isOwn && wish.origin.from === 'config'))
    return isOwn ? { plugins, lines: [] } : fromEnvironment(plugins, env, ofSessions)
  if (wish.value === 'direct') return { plugins: others, lines: [] }
  const { name = 'proxy' } = wish.origin
  const routes = routesFor(wish.value)
  if (wish.origin.from === 'config') return withRoutes(others, { routes, by: 'proxy in the configuration', sessions: ofSessions })
  return withRoutes(others, { routes, by: name, sessions: ofSessions }).catch((error: unknown) => {
    throw typedWrongly(error, name)
  })
}

/** The plugin names the option of its own that it got: whoever typed a proxy knows it as `--proxy`, or as a variable. */
function typedWrongly(error: unknown, name: string): unknown {
  const message = error instanceof AvocetError ? error.message : ''
  const own = "proxies['*']: "
  return message.startsWith(own) ? new AvocetError('AVO_USAGE', `${name}: ${message.slice(own.length)}`) : error
}

/** The same sessions for a crawl, whose plugin has the proxies. */
export function withoutProxies(sessions: Sessions): Sessions {
  return Object.fromEntries(Object.entries(sessions).map(([name, { proxy: _proxy, ...settings }]) => [name, settings]))
}

const TWICE =
  'expected proxies of sessions in sessions or in the plugin proxies(…, { sessions }), got both; move them into the plugin, or leave it out and use proxy'

function routesOfSessions(sessions: Sessions = {}): SessionRoutes | undefined {
  const found = Object.entries(sessions).flatMap(([name, { proxy }]) => (proxy === undefined ? [] : [[name, proxy] as const]))
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** For all hosts, unless they are named. */
function routesFor(value: NonNullable<ProxyWish>): Routes {
  return typeof value === 'string' || Array.isArray(value) ? { '*': value as string | readonly string[] } : (value as Routes)
}

async function fromEnvironment(
  plugins: readonly Plugin[],
  env: AskedProxies['env'],
  sessions: SessionRoutes | undefined,
): Promise<ChosenProxies> {
  const found = environmentProxies(env)
  if (found === undefined)
    return sessions === undefined
      ? { plugins, lines: [] }
      : withRoutes(plugins, { routes: {}, by: 'the configuration', sessions })
  const { lines, ...chosen } = await withRoutes(plugins, { routes: found.routes, by: found.variables.join(', '), sessions })
  const ignored = found.ignored.map((entry) => `NO_PROXY: ${entry} is ignored; only names and single addresses are known`)
  return { ...chosen, lines: [...lines, ...ignored] }
}

interface WantedRoutes {
  readonly routes: object
  readonly by: string
  readonly sessions: SessionRoutes | undefined
}

async function withRoutes(plugins: readonly Plugin[], { routes, by, sessions }: WantedRoutes): Promise<ChosenProxies> {
  const { proxies } = await import('@avocet/plugin-proxies')
  const plugin = proxies(routes as Parameters<typeof proxies>[0], sessions && { sessions })
  const shown = shownOf(plugin, 'routes')
  const ofSessions = Object.entries(shownOf(plugin, 'sessions')).map(([name, labels]) => [`session ${name}`, labels] as const)
  const all = [...Object.entries(shown), ...ofSessions]
  const ways = all.flatMap(([pattern, labels]) =>
    labels.includes('direct') ? [] : [`${pattern === '*' ? 'all hosts' : pattern} through ${labels.join(' or ')}`],
  )
  const direct = all.flatMap(([pattern, labels]) => (labels.includes('direct') ? [pattern] : []))
  const line = [
    ...(ways.length > 0 ? [`proxies: ${ways.join('; ')}`] : ['proxies']),
    ...(direct.length > 0 ? [`directly: ${direct.join(', ')}`] : []),
    `by ${by}`,
  ].join('; ')
  return { plugins: [...plugins, plugin], lines: [line] }
}

function shownOf({ options }: Plugin, part: 'routes' | 'sessions'): Readonly<Record<string, readonly string[]>> {
  return (options?.[part] ?? {}) as Readonly<Record<string, readonly string[]>>
}
