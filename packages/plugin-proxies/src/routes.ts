// Reads what a user says of proxies: by host pattern, by scheme, by session; `direct` for none.
import { AvocetError } from '@avocet/core'
import { checkOptions, HOST_NAME, option, patternsOf, type OptionRule, type ProxyServer } from '@avocet/core/plugin'
import { proxyServerOf } from './proxy-server.ts'

/** A proxy, several of which one is chosen, or `direct`. */
export type ProxyChoice = string | readonly string[]

/** What goes for a pattern: the same for both schemes, or for each its own. */
export type ProxyRoute = ProxyChoice | { readonly http?: ProxyChoice; readonly https?: ProxyChoice }

/** Proxies by host pattern, with the patterns of `hosts`: `shop.example`, `shop.example:8080`, `*.shop.example`, `*`. The most specific counts. */
export type ProxyRoutes = Readonly<Record<string, ProxyRoute>>

/** Options beside the routes. */
export interface ProxiesOptions {
  /** Proxies of named sessions. They go before those of hosts. */
  readonly sessions?: Readonly<Record<string, ProxyChoice>>
}

/** A proxy as it is used. */
export interface Candidate {
  /** Its name in reports and in memory: URL without credentials and, where several user names share it, which of them. */
  readonly label: string
  /** Another user name may be another way out. */
  readonly id: string
  readonly server: ProxyServer
}

/** The candidates of a request; none: it goes directly. */
export interface Routes {
  of(asked: { readonly hostKey: string; readonly scheme: Scheme; readonly session?: string | undefined }): readonly Candidate[]
  /**
   * All that may serve a host, whatever is requested of it by `scheme`, or by any; undefined where something of it may go directly. Hosts may be keyed by
   * domain, so what is said of the hosts below it counts as well.
   */
  allOf(hostKey: string, scheme?: Scheme): readonly Candidate[] | undefined
  /** The label of the proxy with this id; undefined for one of another plugin. */
  labelOf(id: string): string | undefined
  /** For reports, without credentials. */
  readonly shown: {
    readonly routes: Readonly<Record<string, readonly string[]>>
    readonly sessions?: Readonly<Record<string, readonly string[]>>
  }
}

type Scheme = 'http' | 'https'
type BySchemes = { readonly [Name in Scheme]?: readonly Candidate[] }

const SCHEMES: readonly Scheme[] = ['http', 'https']
const CHOICE: OptionRule = {
  expected: "a proxy URL, a list of them, or 'direct'",
  problem(value, path) {
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (texts.length === 0) return `expected ${path} to be ${CHOICE.expected}, got an empty list; write 'direct' for no proxy`
    for (const text of texts) {
      if (text === 'direct' && texts.length === 1) continue
      const server = proxyServerOf(text)
      if (typeof server === 'string') return `${path}: ${server}`
    }
    return undefined
  },
}
const ROUTE: OptionRule = {
  expected: `${CHOICE.expected}, or { http: …, https: … }`,
  problem(value, path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return CHOICE.problem(value, path)
    const other = Object.keys(value).find((name) => name !== 'http' && name !== 'https')
    if (other !== undefined) return `expected ${path} to have http and https, got '${other}'`
    return Object.entries(value)
      .map(([scheme, choice]) => (choice === undefined ? undefined : CHOICE.problem(choice, `${path}.${scheme}`)))
      .find((problem) => problem !== undefined)
  },
}

/**
 * Reads them.
 *
 * @throws AVO_CONFIG_INVALID for what is no pattern or no proxy; the message quotes no credentials.
 */
export function routesOf(routes: ProxyRoutes, options: ProxiesOptions = {}): Routes {
  checkOptions('proxies', options, { sessions: option.recordOf(CHOICE) })
  const problem = option.recordOf(ROUTE, HOST_NAME).problem(routes, 'proxies')
  if (problem !== undefined) throw new AvocetError('AVO_CONFIG_INVALID', problem)
  const labels = labelsOf([...Object.values(routes).flatMap(choicesIn), ...Object.values(options.sessions ?? {})])
  const candidatesOf = (choice: ProxyChoice): readonly Candidate[] =>
    serversOf(choice).map((one) => ({ ...one, label: labels.get(one.id) ?? one.url }))
  const byPattern = new Map(Object.entries(routes).map(([pattern, route]) => [pattern, schemesOf(route, candidatesOf)]))
  const bySession = new Map(Object.entries(options.sessions ?? {}).map(([name, choice]) => [name, candidatesOf(choice)]))
  const ofHost = (hostKey: string, scheme: Scheme): readonly Candidate[] => {
    for (const pattern of patternsOf(hostKey)) {
      const found = byPattern.get(pattern)?.[scheme]
      if (found !== undefined) return found
    }
    return []
  }
  return {
    of: ({ hostKey, scheme, session = '' }) => bySession.get(session) ?? ofHost(hostKey, scheme),
    allOf(hostKey, only) {
      const schemes = only === undefined ? SCHEMES : [only]
      const below = [...byPattern].flatMap(([pattern, route]) =>
        pattern.replace(/:\d+$/, '').endsWith(`.${hostKey}`) ? [route] : [],
      )
      const ofThose = below.flatMap((route) => schemes.flatMap((scheme) => (route[scheme] === undefined ? [] : [route[scheme]])))
      const choices = [...schemes.map((scheme) => ofHost(hostKey, scheme)), ...ofThose, ...bySession.values()]
      return choices.some((choice) => choice.length === 0) ? undefined : choices.flat()
    },
    labelOf: (id) => labels.get(id),
    shown: {
      routes: shownBy([...byPattern].map(([pattern, { http = [], https = [] }]) => [pattern, [...http, ...https]])),
      ...(bySession.size > 0 && { sessions: shownBy([...bySession]) }),
    },
  }
}

function schemesOf(route: ProxyRoute, candidatesOf: (choice: ProxyChoice) => readonly Candidate[]): BySchemes {
  if (typeof route === 'string' || isList(route)) {
    const both = candidatesOf(route)
    return { http: both, https: both }
  }
  return { ...(route.http && { http: candidatesOf(route.http) }), ...(route.https && { https: candidatesOf(route.https) }) }
}

function isList(route: object): route is readonly string[] {
  return Array.isArray(route)
}

function choicesIn(route: ProxyRoute): readonly ProxyChoice[] {
  if (typeof route === 'string' || isList(route)) return [route]
  return [route.http ?? [], route.https ?? []]
}

function serversOf(choice: ProxyChoice): readonly { readonly url: string; readonly id: string; readonly server: ProxyServer }[] {
  return [choice].flat().flatMap((text: string) => {
    const server = text === 'direct' ? '' : proxyServerOf(text)
    return typeof server === 'string' ? [] : [{ url: server.url, id: server.id, server }]
  })
}

/** Labels by id. User names that share a URL are told apart by their place in the configuration: the names themselves are nobody's business. */
function labelsOf(choices: readonly ProxyChoice[]): ReadonlyMap<string, string> {
  const byUrl = Map.groupBy(choices.flatMap(serversOf), ({ url }) => url)
  return new Map(
    [...byUrl].flatMap(([url, servers]) => {
      const ids = [...new Set(servers.map(({ id }) => id))]
      return ids.map((id, n) => [id, ids.length === 1 ? url : `${url} (user ${n + 1} of ${ids.length})`] as const)
    }),
  )
}

/** `direct` where there is none. */
function shownBy(entries: readonly (readonly [string, readonly Candidate[]])[]): Readonly<Record<string, readonly string[]>> {
  const labelsOf = (some: readonly Candidate[]): readonly string[] =>
    some.length === 0 ? ['direct'] : [...new Set(some.map(({ label }) => label))]
  return Object.fromEntries(entries.map(([name, some]) => [name, labelsOf(some)]))
}
