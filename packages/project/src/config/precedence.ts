// Who has the last word on a value: the one place that knows. Flags win over the configuration, over the spider, over what is built in.
//
// Each of the four is a layer: values by key. A group whose members are set one by one (headers, limits, scope) has a key for each member,
// `headers.accept`, so that a header that is typed leaves the others alone. `avocet crawl` runs what is settled here; `avocet check --values` prints it.
import type { CrawlOptions } from '../options/crawl-options.ts'

/** From the strongest to the weakest. */
const PRECEDENCE = ['flag', 'config', 'spider', 'built-in'] as const

/** Where a value comes from. */
export interface Origin {
  readonly from: (typeof PRECEDENCE)[number]
  /** The flag, the file, the spider; absent for what is built in. */
  readonly name?: string
}

/** Values by key, and where each comes from. `undefined` says nothing. */
export interface Layer {
  readonly from: Origin['from']
  readonly values: Readonly<Record<string, unknown>>
  /** What the origin of `key` is called. */
  nameOf?(key: string): string | undefined
}

/** A value that somebody had the last word on. */
export interface ChosenOption {
  readonly value: unknown
  readonly origin: Origin
}

/** Groups that are set member by member. */
const GROUPS = ['headers', 'timeLimits', 'sizeLimits', 'discoveryLimits', 'scope'] as const

/**
 * The last word on each key. The order of `layers` does not matter.
 *
 * @example
 * ```ts
 * const typed = { from: 'flag', values: { delayMs: 500 }, nameOf: () => '--delay' } as const
 * settle([typed, { from: 'built-in', values: { delayMs: 1_000 } }]).get('delayMs')?.value // 500
 * ```
 */
export function settle(layers: readonly Layer[]): ReadonlyMap<string, ChosenOption> {
  const settled = new Map<string, ChosenOption>()
  const weakestFirst = layers.toSorted((a, b) => PRECEDENCE.indexOf(b.from) - PRECEDENCE.indexOf(a.from))
  for (const { from, values, nameOf } of weakestFirst) {
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined) continue
      const name = nameOf?.(key)
      settled.set(key, { value, origin: { from, ...(name !== undefined && { name }) } })
    }
  }
  return settled
}

/** `values` with a key for each member of a group. */
export function flat(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]): [string, unknown][] =>
      isGroup(key) && typeof value === 'object' && value !== null
        ? Object.entries(value).map(([member, of]): [string, unknown] => [`${key}.${member}`, of])
        : [[key, value]],
    ),
  )
}

/** What `flat` took apart, put together again. */
export function nested(settled: ReadonlyMap<string, ChosenOption>): Record<string, unknown> {
  const whole: Record<string, unknown> = {}
  for (const [key, { value }] of settled) {
    const dot = key.indexOf('.')
    const group = key.slice(0, Math.max(0, dot))
    // A header may have a dot in its name; nothing else has one.
    if (isGroup(group)) whole[group] = { ...(whole[group] as object | undefined), [key.slice(dot + 1)]: value }
    else whole[key] = value
  }
  return whole
}

function isGroup(key: string): boolean {
  return (GROUPS as readonly string[]).includes(key)
}

/** By key of the configuration: the option that says it. */
const OPTION_OF: Readonly<Record<string, string>> = {
  concurrency: 'concurrency',
  maxPerHost: 'max-per-host',
  delayMs: 'delay',
  patienceMs: 'patience',
  storePatienceMs: 'store-patience',
  maxPages: 'max-pages',
  maxTimeMs: 'max-time',
  processes: 'processes',
  metrics: 'metrics',
  recrawl: 'every',
  userAgent: 'user-agent',
  secretParameters: 'secret-parameter',
  allowPrivate: 'allow-private',
  proxy: 'proxy',
  'scope.within': 'scope',
  'scope.maxDepth': 'max-depth',
}

/** The strongest layer. */
export function typedLayer({ config, headers, within, maxDepth }: CrawlOptions): Layer {
  return {
    from: 'flag',
    values: flat({ ...config, headers, scope: { within, maxDepth } }),
    nameOf: (key) => `--${optionOf(key)}`,
  }
}

/** Where an option that is no key of a configuration (`store`, `seeds`) comes from. */
export function originOfOption(option: string): Origin & { readonly name: string } {
  return { from: 'flag', name: `--${option}` }
}

function optionOf(key: string): string {
  return key.startsWith('headers.') ? 'header' : (OPTION_OF[key] ?? key)
}
