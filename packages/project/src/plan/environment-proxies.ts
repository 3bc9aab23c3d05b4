// What HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say, in either case, as curl and Go read them: lower case goes first, a value without a scheme is an
// HTTP proxy, an entry of NO_PROXY means the name and all names below it. This machine (localhost, 127.0.0.1, [::1]) is never reached through them.
import { AvocetError } from '@avocet/core'
import { proxyServerOf } from '@avocet/core/plugin'
import { commandName } from '../text/command-line.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What they come to. */
export interface EnvironmentProxies {
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
 * environmentProxies({ https_proxy: 'proxy.example:3128', no_proxy: 'shop.example' })?.routes['*'] // { https: 'http://proxy.example:3128' }
 * ```
 */
export function environmentProxies(env: Environment): EnvironmentProxies | undefined {
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
      '*': { ...(http && { http: proxyIn(http) }), ...(https && { https: proxyIn(https) }) },
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

function proxyIn({ variable, value }: Word): string {
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
