// The proxies of a crawl: those of `--proxy`, else of the configuration, else of HTTPS_PROXY and the like. The plugin is loaded only if there are any.
import { AvocetError, type Plugin } from '@avocet/core'
import type { CommandConfig } from 'avocet'
import type { Origin } from '../config/precedence.ts'
import { commandName } from '../text/command-line.ts'

type ProxyWish = CommandConfig['proxy']
type Sessions = NonNullable<CommandConfig['sessions']>
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
  const found = await environmentProxies(env)
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

// What HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say, in either case, as curl and Go read them: lower case goes first, a value without a scheme is an
// HTTP proxy, an entry of NO_PROXY means the name and all names below it. This machine (localhost, 127.0.0.1, [::1]) is never reached through them.

type Environment = Readonly<Record<string, string | undefined>>

/** What they come to. */
interface EnvironmentProxies {
  /** By host pattern, for the plugin. */
  readonly routes: Readonly<Record<string, 'direct' | { readonly http?: string; readonly https?: string }>>
  /** The variables that said so. */
  readonly variables: readonly string[]
  /** Entries of NO_PROXY that no host pattern can express, such as 10.0.0.0/8. */
  readonly ignored: readonly string[]
}

const THIS_MACHINE = ['localhost', '*.localhost', '127.0.0.1', '[::1]']
const ENTRY = /^(?:\*?\.)?([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])\.?(?::(\d{1,5}))?$/
const ADDRESS = /^(?:[\d.]+|\[.*\])$/

/**
 * Reads them; undefined where none names a proxy.
 *
 * @throws AVO_USAGE for a variable that is no proxy.
 * @example
 * ```ts
 * (await environmentProxies({ https_proxy: 'proxy.example:3128', no_proxy: 'shop.example' }))?.routes['*'] // { https: 'http://proxy.example:3128' }
 * ```
 */
export async function environmentProxies(env: Environment): Promise<EnvironmentProxies | undefined> {
  const [http, https, none] = [
    said(env, ['HTTP_PROXY', 'ALL_PROXY']),
    said(env, ['HTTPS_PROXY', 'ALL_PROXY']),
    said(env, ['NO_PROXY']),
  ]
  if (http === undefined && https === undefined) return undefined
  const entries = (none?.value ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
  if (entries.includes('*')) return undefined
  const patterns = entries.map((entry) => patternsFor(entry))
  const direct = [...THIS_MACHINE, ...patterns.flatMap((some) => some ?? [])]
  return {
    routes: {
      ...Object.fromEntries(direct.map((pattern) => [pattern, 'direct'] as const)),
      '*': { ...(http && { http: await proxyIn(http) }), ...(https && { https: await proxyIn(https) }) },
    },
    variables: [...new Set([http, https, none].flatMap((word) => word?.variable ?? []))],
    ignored: entries.filter((_entry, n) => patterns[n] === undefined),
  }
}

interface Word {
  readonly variable: string
  readonly value: string
}

/** The first of them that says anything. */
function said(env: Environment, names: readonly string[]): Word | undefined {
  return names
    .flatMap((name) => [name.toLowerCase(), name])
    .map((variable): Word => ({ variable, value: env[variable]?.trim() ?? '' }))
    .find(({ value }) => value !== '')
}

async function proxyIn({ variable, value }: Word): Promise<string> {
  const { proxyServerOf } = await import('@avocet/plugin-proxies')
  const url = value.includes('://') ? value : `http://${value}`
  const server = proxyServerOf(url)
  if (typeof server !== 'string') return url
  throw new AvocetError('AVO_USAGE', `${variable}: ${server}; correct it, or use no proxy: ${commandName()} crawl --proxy direct`)
}

/** The patterns of an entry of NO_PROXY; undefined where none can say it. */
function patternsFor(entry: string): readonly string[] | undefined {
  const [, text, port] = ENTRY.exec(/^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/.test(entry) ? `[${entry}]` : entry) ?? []
  // An IPv6 address has many spellings, and URLs one of them.
  const name = text?.startsWith('[') ? URL.parse(`http://${text}`)?.hostname : text
  if (name === undefined) return undefined
  const place = port === undefined || port === '80' || port === '443' ? name : `${name}:${port}`
  return ADDRESS.test(name) ? [place] : [place, `*.${place}`]
}
