// How hosts are treated: the policies and plugins of a crawl, and what the command line says of all hosts.
//
// A configuration that names no policies gets the five of `polite()`. What is typed (`--rate`, `--delay`, `--max-per-host`, `--max-rps`,
// `--ignore-robots`) goes before the configuration: the rate replaces its rate policy, the others become options of hosts, which bound every
// policy. The journal is always there: it decides nothing, and `avocet report` reads it.
import type { CrawlConfig, HostOptions, Plugin } from '@avocet/core'
import { reportedOptions } from '@avocet/core/plugin'
import type { HostRecord } from '@avocet/core/store'
import { coreMemory, type Explanation } from '@avocet/core/tools'
import { activePlugins } from 'avocet'
import { journal } from '@avocet/plugin-journal'
import { polite, ratePolicy } from '@avocet/preset-polite'
import type { CrawlOptions } from '../options/crawl-options.ts'

/** What decides how hosts are treated. */
export type Treatment = Pick<CrawlConfig, 'policies' | 'plugins'>

/** The policies and plugins of a crawl that is configured like this. `rate`: as it was typed. */
export function treatmentOf({ policies = polite(), plugins = [] }: Treatment, rate?: CrawlOptions['rate']): Required<Treatment> {
  if (rate === undefined) return { policies, plugins: withJournal(plugins) }
  const others = plugins.filter(({ policy }) => policy !== 'rate')
  // What the configuration says of the learned rate holds, if it has one.
  const typed = ratePolicy(rate)
  const configured = [...plugins, ...policies].find(({ name }) => name === typed.name)
  return { policies, plugins: withJournal([...others, configured ?? typed]) }
}

/**
 * What a host of a store is asked about with. Its memory says by which rate policy it was last treated: where that was typed (`--rate`), it is not the
 * configured one.
 */
export function explainersOf(
  config: Partial<CrawlConfig>,
): (record: Pick<HostRecord, 'memory'>) => { readonly plugins: readonly Plugin[]; readonly config: Partial<CrawlConfig> } {
  const configured = activePlugins({ ...config, ...treatmentOf(config) })
  const others = (['fixed', 'none'] as const).map((rate) => ({
    name: ratePolicy(rate).name,
    plugins: activePlugins({ ...config, ...treatmentOf(config, rate) }),
  }))
  return ({ memory }) => {
    const { rate } = coreMemory.ofHost(memory)
    const other = configured.some(({ name }) => name === rate) ? undefined : others.find(({ name }) => name === rate)
    return { plugins: other?.plugins ?? configured, config }
  }
}

/** Of which there may be one each, in the order in which they are named. */
const POLICIES = polite().flatMap(({ policy }) => policy ?? [])
/** Plugins that the command or a crawl brings by itself: no configuration names them, and they treat no host. */
const OURS: ReadonlySet<string> = new Set(['journal', 'traps', 'login', 'response-cache', 'kept-responses'])

/**
 * What a report asks of a host: what its memory in the store says, whatever the configuration says today. A policy that is no longer configured explains
 * what it left, one that is new says nothing of what was done without it, and robots.txt that is ignored from now on was read before.
 */
export function historiansOf(
  config: Partial<CrawlConfig>,
): (record: Pick<HostRecord, 'memory'>) => { readonly plugins: readonly Plugin[] } {
  const standard = [...polite(), ratePolicy('fixed'), ratePolicy('none')]
  const { limits = [] } = config
  const configured = activePlugins({ ...treatmentOf(config), limits }).filter(({ name }) => name !== 'robots')
  const others = standard.filter(({ name }) => configured.every((plugin) => plugin.name !== name))
  return ({ memory }) => ({
    plugins: [...configured, ...others].filter(({ name, hostMemory }) => hostMemory === undefined || memory[name] !== undefined),
  })
}

/** What treats hosts, on a line: `robots, rate (aimd, maxRps 5), breaker, retry; off: timeouts; plugins: alarm`. */
export function treatmentText({ hosts, ...treatment }: Treatment & Pick<CrawlConfig, 'hosts' | 'limits'>): string {
  return policiesText(activePlugins({ ...treatment, ...(hosts && { hosts }) }), hosts?.['*'])
}

/** A plugin, as far as it is named. */
type NamedPolicy = Readonly<Pick<Plugin, 'name' | 'options'>> & { readonly policy?: string }

/** The same of plugins that run, or ran. `all`: what was set for all hosts. */
export function policiesText(plugins: readonly NamedPolicy[], all: HostOptions = {}): string {
  // Limits that are only learned were not configured.
  const active = plugins.filter(({ name, options }) => !OURS.has(name) && (name !== 'limits' || options !== undefined))
  const on = POLICIES.flatMap((policy) =>
    active.filter((plugin) => plugin.policy === policy).map((plugin) => policyText(policy, plugin, all)),
  )
  const off = POLICIES.filter((policy) => !active.some((plugin) => plugin.policy === policy))
  const others = active
    .filter(({ policy }) => policy === undefined)
    .map(({ name, options }) => {
      const hours = name === 'hours' ? options?.['visited'] : undefined
      return typeof hours !== 'string' ? name : `${name} (visited ${hours})`
    })
  return [
    on.join(', '),
    ...(off.length > 0 ? [`off: ${off.join(', ')}`] : []),
    ...(others.length > 0 ? [`plugins: ${others.join(', ')}`] : []),
  ].join('; ')
}

function policyText(policy: string, { name, options = {} }: NamedPolicy, { ignoreRobots }: HostOptions): string {
  const { ignore, ...chosen } = reportedOptions(options)
  const isIgnored = policy === 'robots' && (ignore === true || ignoreRobots === true)
  const words = [
    ...(name === policy ? [] : [name]),
    ...(isIgnored ? ['ignored'] : []),
    ...Object.entries(chosen).map(([option, value]) => `${option} ${value}`),
  ]
  return words.length === 0 ? policy : `${policy} (${words.join(', ')})`
}

/** The rate that a host was found to take, by any plugin that explains one. */
export function foundRpsOf(values: Explanation['values']): number | undefined {
  return Object.values(values)
    .map(({ foundRps }) => foundRps)
    .find((found) => typeof found === 'number')
}

/** Requests per second, and the state of its breaker; null where no policy says. */
export interface FoundByPolicies {
  readonly foundRps: number | null
  readonly breaker: string | null
}

/** What policies have found of a host, from what they know. The rate of one that has not proven itself is only where it begins. */
export function foundByPolicies(values: Explanation['values'], isProven: boolean): FoundByPolicies {
  const found = isProven ? foundRpsOf(values) : undefined
  const state = Object.values(values)
    .map((known) => known['state'])
    .find((each) => typeof each === 'string')
  return { foundRps: found === undefined ? null : Number(found.toPrecision(3)), breaker: state ?? null }
}

/** Unless there is one of that name. */
function withJournal(plugins: readonly Plugin[]): readonly Plugin[] {
  return plugins.some(({ name }) => name === 'journal') ? plugins : [...plugins, journal()]
}

/** What is typed for all hosts. */
type Bounds = Pick<CrawlOptions, 'maxRps' | 'ignoreRobots'> & Pick<CrawlConfig, 'delayMs' | 'maxPerHost'>

/**
 * Options of hosts with what was typed for all of them: bounds that no pattern exceeds, and robots.txt ignored unless a pattern says `false`.
 *
 * @example
 * ```ts
 * hostOptionsOf({ 'api.shop.example': { maxRps: 4 } }, { maxRps: 2, ignoreRobots: false }) // both patterns, 2 a second each
 * ```
 */
export function hostOptionsOf(hosts: CrawlConfig['hosts'], bounds: Bounds): CrawlConfig['hosts'] {
  const { maxRps, ignoreRobots, delayMs, maxPerHost } = bounds
  if (maxRps === undefined && delayMs === undefined && maxPerHost === undefined && !ignoreRobots) return hosts
  const all: HostOptions = {
    ...hosts?.['*'],
    ...(ignoreRobots && { ignoreRobots }),
    ...(maxRps !== undefined && { maxRps: Math.min(maxRps, hosts?.['*']?.maxRps ?? maxRps) }),
  }
  const others = Object.entries(hosts ?? {}).map(([pattern, options]): [string, HostOptions] => [
    pattern,
    bounded(options, bounds),
  ])
  return { ...Object.fromEntries(others), ...(Object.keys(all).length > 0 && { '*': bounded(all, bounds) }) }
}

/** What a pattern says, as far as the bounds allow; what it does not say it takes from `*`. */
function bounded(options: HostOptions, { maxRps = Infinity, delayMs = 0, maxPerHost = Infinity }: Bounds): HostOptions {
  return {
    ...options,
    ...(options.maxRps !== undefined && { maxRps: Math.min(options.maxRps, maxRps) }),
    ...(options.delayMs !== undefined && { delayMs: Math.max(options.delayMs, delayMs) }),
    ...(options.maxInFlight !== undefined && { maxInFlight: Math.min(options.maxInFlight, maxPerHost) }),
  }
}

/** A hold as a document has it, which cannot say Infinity. */
export interface HoldAsJson {
  readonly by: string
  readonly why: string
  readonly until: number | null
}

/** A hold without end has null. */
export function holdAsJson(hold: Explanation['holds'][number]): HoldAsJson {
  return { ...hold, until: Number.isFinite(hold.until) ? hold.until : null }
}
