// Each value that a crawl would go by, and on whose word: the settled values of a plan as rows.
//
// What cannot be seen: the options that a plugin was made with. They are in its closure; its name is all that is known.
import type { CrawlConfig, HostOptions, Json, Plugin } from '@avocet/core'
import { isSecretName, withoutCredentials } from '@avocet/plugin-secrets/names'
import { activePlugins } from 'avocet'
import type { CrawlPlan } from '@avocet/project/plan'
import { originOfOption, type ChosenOption, type Origin } from '@avocet/project/load'
import { IN_MEMORY, nameFrom, storePathOf } from '@avocet/project/store'
import type { CrawlOptions } from '@avocet/project/options'
import { HIDDEN } from '@avocet/project/place'

/** A value with its origin. */
export interface Row {
  readonly key: string
  readonly value: Json
  readonly origin: Origin
}

/** What the rows are made of. */
export interface Asked {
  readonly plan: CrawlPlan
  readonly options: CrawlOptions
  readonly folder: string
}

/** Keys with rows of their own, or with nothing to show. */
const APART: ReadonlySet<string> = new Set(['spider', 'frontier', 'store', 'policies', 'plugins', 'hosts', 'clock', 'fetcher'])

/** All rows: what is crawled first, then the rest by name. */
export function rowsOf(asked: Asked): readonly Row[] {
  const settled = inForce(asked)
  const plain = [...settled].filter(([key]) => !APART.has(key))
  const values = plain.map(([key, { value, origin }]): Row => ({ key, value: shown(key, value), origin }))
  return [
    ...spiderRows(asked),
    ...pluginRows(asked),
    ...[...values, ...hostRows(asked), ...ownPartRows(asked)].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  ]
}

/** What is settled, as the plan takes it: a switch leaves options of the configuration as they are. */
function inForce({ plan: { settled, loaded } }: Asked): ReadonlyMap<string, ChosenOption> {
  const all = new Map(settled)
  for (const key of ['cache', 'sitemaps', 'files'] as const) {
    const [chosen, configured] = [settled.get(key), loaded?.config[key]]
    if (chosen?.value === true && typeof configured === 'object') all.set(key, { ...chosen, value: configured })
  }
  return all
}

function spiderRows({ plan, options, folder }: Asked): Row[] {
  if (plan.chosen === undefined) return []
  const { spider, origin, seedsOrigin } = plan.chosen
  const seeds = typeof spider.seeds === 'function' ? 'made by a function' : spider.seeds.length
  return [
    { key: 'spider', value: spider.name, origin },
    { key: 'seeds', value: seeds, origin: seedsOrigin },
    storeRow(spider.name, { plan, options, folder }),
  ]
}

/** A store that was typed wins over the configuration's own, which wins over the default place (crawl-store.ts). */
function storeRow(name: string, { plan: { settled, configuredStore }, options, folder }: Asked): Row {
  const configured = settled.get('frontier')
  if (configured && options.store === undefined) return { key: 'store', value: 'its own', origin: configured.origin }
  const path = storePathOf(name, folder, options.store ?? configuredStore)
  const origin: Origin =
    options.store === undefined ? (settled.get('store')?.origin ?? { from: 'built-in' }) : originOfOption('store')
  return { key: 'store', value: path === IN_MEMORY ? path : nameFrom(folder, path), origin }
}

/** Policies that would run, also those that plugins bring, and the plugins. Without policies of its own a crawl has those of `polite()`. */
function pluginRows({ plan: { config, settled }, options }: Asked): Row[] {
  const active = activePlugins(config)
  const namesOf = (plugins: readonly Plugin[]): string[] => plugins.map(({ name }) => name)
  const isAdded = (plugin: Plugin): boolean => config.plugins.includes(plugin)
  const policies = settled.get('policies')?.origin ?? ({ from: 'built-in', name: 'polite()' } as const)
  const rate: Row[] = options.rate === undefined ? [] : [{ key: 'rate', value: options.rate, origin: originOfOption('rate') }]
  return [
    {
      key: 'policies',
      value: namesOf(active.filter((plugin) => plugin.policy !== undefined || !isAdded(plugin))),
      origin: policies,
    },
    {
      key: 'plugins',
      value: namesOf(active.filter(isAdded)),
      origin: settled.get('plugins')?.origin ?? { from: 'built-in' },
    },
    ...rate,
  ]
}

/** Of what is typed for all hosts. */
const OPTION_OF_HOST: Readonly<Partial<Record<keyof HostOptions, string>>> = {
  maxRps: 'max-rps',
  delayMs: 'delay',
  maxInFlight: 'max-per-host',
  ignoreRobots: 'ignore-robots',
}

function hostRows({ plan: { config, loaded } }: Asked): Row[] {
  const configured = loaded?.config.hosts ?? {}
  return Object.entries(config.hosts ?? {}).flatMap(([pattern, of]) =>
    Object.entries(of).map(([name, value]: [string, HostOptions[keyof HostOptions]]): Row => {
      const isConfigured = configured[pattern]?.[name as keyof HostOptions] === value
      const option = OPTION_OF_HOST[name as keyof HostOptions] ?? 'config'
      return {
        key: `hosts['${pattern}'].${name}`,
        value: value ?? null,
        origin: isConfigured && loaded ? { from: 'config', name: loaded.path } : originOfOption(option),
      }
    }),
  )
}

/** Parts of a crawl that somebody brought along: all that can be said is that they are there. */
function ownPartRows({ plan: { settled } }: Asked): Row[] {
  const fetcher = settled.get('fetcher')
  const clock = settled.get('clock')
  const isOwn = clock !== undefined && clock.origin.from !== 'built-in'
  return [
    ...(fetcher ? [{ key: 'fetcher', value: 'its own', origin: fetcher.origin }] : []),
    ...(isOwn ? [{ key: 'clock', value: 'its own', origin: clock.origin }] : []),
  ]
}

/** Of keys: fields that all requests send. */
const HEADERS = 'headers.'

function shown(key: string, value: unknown): Json {
  if (key.startsWith(HEADERS) && isSecretName(key.slice(HEADERS.length))) return HIDDEN
  if (key === 'sessions') return shownSessions(value as NonNullable<CrawlConfig['sessions']>)
  if (key === 'proxy') return JSON.parse(withoutCredentials(JSON.stringify(value))) as Json
  if (Array.isArray(value)) return value.map((one: unknown) => shown(key, one))
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof RegExp || value instanceof URL) return String(value)
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(name, one)])) : typeof value
}

/** Their header fields say who asks, whatever they are called. */
function shownSessions(sessions: NonNullable<CrawlConfig['sessions']>): Json {
  return Object.fromEntries(
    Object.entries(sessions).map(([name, { headers, proxy, ...others }]): [string, Json] => [
      name,
      {
        ...(shown('session', others) as Readonly<Record<string, Json>>),
        ...(headers && { headers: Object.fromEntries(Object.keys(headers).map((field) => [field, HIDDEN])) }),
        ...(proxy !== undefined && { proxy: shown('proxy', proxy) }),
      },
    ]),
  )
}

/** Written out in a configuration, not made by a class: it has no end otherwise. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
