// Which plugins may do something outside the crawl, so that a run which only tries a spider out leaves them out.
//
// A plugin says so itself (`outsideEffects`). One that does not say is judged by its hooks: those that answer the crawl (`admit`, `onResponse`, …) are its
// rules, and a simulation without them would simulate something else. The others are called for what they do elsewhere. An item that is written
// to a database cannot be taken back, so where it is not known the plugin is left out. One that can do without its effects runs so (`withoutEffects`).
import { basename } from 'node:path'
import type { CrawlConfig, Json, Plugin, Spider } from '@avocet/core'
import { printable } from '../text/printable.ts'
import type { LoadedConfig } from './config-file.ts'
import type { Treatment } from './policies.ts'
import type { Origin } from './precedence.ts'

/** Hooks that are there for what happens outside. `onItem` answers, too, but is where items are written. */
const TELLING = [
  'open',
  'onItem',
  'onSettled',
  'onRetire',
  'onProblem',
  'onTrace',
  'close',
] as const satisfies readonly (keyof Plugin)[]

/** A plugin that does not run. */
export interface LeftOutPlugin {
  readonly name: string
  /** Its hooks that nobody vouched for; none where it says itself that it has effects. */
  readonly unvouched: readonly string[]
}

/**
 * A treatment without the plugins that have effects outside the crawl, or may have, and which those are.
 *
 * @example
 * ```ts
 * const saves = definePlugin({ name: 'saves', onItem: (item) => item })
 * withoutOutsideEffects({ policies: [], plugins: [saves] }).leftOut // [{ name: 'saves', unvouched: ['onItem'] }]
 * ```
 */
export function withoutOutsideEffects({
  policies = [],
  plugins = [],
}: Treatment): Required<Treatment> & { readonly leftOut: readonly LeftOutPlugin[] } {
  const inside = (plugin: Plugin): readonly Plugin[] => {
    if (leftOut(plugin) === undefined) return [plugin]
    return plugin.withoutEffects === undefined ? [] : [plugin.withoutEffects()]
  }
  return {
    policies: policies.flatMap(inside),
    plugins: plugins.flatMap(inside),
    leftOut: [...policies, ...plugins].flatMap((plugin) => (inside(plugin).length > 0 ? [] : (leftOut(plugin) ?? []))),
  }
}

/** Undefined for one that runs. What is no plugin stays, for the crawl to refuse. */
function leftOut(plugin: Plugin): LeftOutPlugin | undefined {
  if (plugin?.outsideEffects === true) return { name: plugin.name, unvouched: [] }
  if (plugin?.outsideEffects === false || plugin?.policy !== undefined) return undefined
  const unvouched = TELLING.filter((hook) => plugin?.[hook] !== undefined)
  return unvouched.length === 0 ? undefined : { name: plugin.name, unvouched }
}

/** The spider of a run. A configuration without a spider is for all, but for the built-in one of URLs. */
interface SpiderOfRun {
  readonly spider: Pick<Spider, 'name'> & Partial<Pick<Spider, 'handlers'>>
  readonly origin?: Pick<Origin, 'from'>
}

/**
 * A configuration as it holds for the spider that was `chosen`. Where it declares another one, its sinks and its plugins that see items are that one's alone,
 * and so is what names handlers that the chosen one lacks; all else holds for any. `lines`: which they are.
 */
export function configFor(
  { path, config }: LoadedConfig,
  chosen: SpiderOfRun | undefined,
): { readonly config: Partial<CrawlConfig>; readonly lines: readonly string[] } {
  const { spider: own, sinks, plugins = [], recrawl, sitemaps, ...rest } = config
  const isOther = own !== undefined && own.name !== chosen?.spider.name
  if (chosen === undefined || !(isOther || chosen.origin?.from === 'built-in')) return { config, lines: [] }
  const { spider } = chosen
  const lacks = (handler: unknown): boolean => typeof handler === 'string' && !Object.hasOwn(spider.handlers ?? {}, handler)
  const isOwn = (plugin: Plugin): boolean => plugin?.linksTo?.some(lacks) === true || (isOther && plugin?.onItem !== undefined)
  const isOwnList = typeof sitemaps === 'object' && 'handler' in sitemaps
  const left = [
    ...((isOther && sinks) || []).map(({ name }) => `sink ${printable(name)}`),
    ...plugins.filter(isOwn).map(({ name }) => `plugin ${printable(name)}`),
    ...(recrawl ?? []).flatMap((rule) => (lacks(rule?.match) ? [`recrawl of ${printable(String(rule.match))}`] : [])),
    ...(isOwnList ? ['sitemaps'] : []),
  ].join(', ')
  const whose = own === undefined ? 'for spiders' : `of the spider ${printable(own.name)}`
  const line = `${basename(path)} is ${whose}, and this is ${printable(spider.name)}, which does without ${left}; to use them, give it a configuration of its own with --config`
  return {
    config: {
      ...rest,
      ...(own && { spider: own }),
      ...(sinks && !isOther && { sinks }),
      ...(recrawl && { recrawl: recrawl.filter((rule) => !lacks(rule?.match)) }),
      ...(sitemaps !== undefined && !isOwnList && { sitemaps }),
      plugins: plugins.filter((plugin) => !isOwn(plugin)),
    },
    lines: left === '' ? [] : [line],
  }
}

/** What may have effects outside the crawl. */
interface Effects extends Treatment {
  readonly sinks?: readonly { readonly name: string }[]
}

/** A line of plugins, that say it themselves or do not, and one of sinks; none where nothing is left out. `what`: as in "left out of WHAT". */
export function leftOutLines({ sinks = [], ...treatment }: Effects, what: string): string[] {
  const written =
    sinks.length === 0 ? [] : [`left out of ${what}: ${sinks.map(({ name }) => `sink ${printable(name)}`).join(', ')}`]
  const { leftOut } = withoutOutsideEffects(treatment)
  if (leftOut.length === 0) return written
  const names = leftOut.map(({ name, unvouched }) => `${printable(name)} (${unvouched.join(', ') || 'outsideEffects: true'})`)
  const silent = leftOut.filter(({ unvouched }) => unvouched.length > 0)
  const way = silent.length === 0 ? '' : '; if a plugin does nothing outside the crawl, write outsideEffects: false in it'
  return [`left out of ${what}: ${names.join(', ')}${way}`, ...written]
}

/** For a run over what was crawled before, such as a replay; nothing where no plugin may. */
export function repeatedEffects(treatment: Treatment): string {
  const names = withoutOutsideEffects(treatment).leftOut.map(({ name }) => printable(name))
  return names.length === 0 ? '' : `; plugins run too, and may repeat what they do outside the crawl: ${names.join(', ')}`
}

/** Where an item comes from. */
type Source = Parameters<NonNullable<Plugin['onItem']>>[1]

/** What a plugin does to items, and nothing of what it does to hosts; `seen`: the source of an item as the plugin is to see it. Its table begins empty. */
export function onItemsAlone(plugin: Plugin, seen: (source: Source) => Source): Plugin {
  const { name, version, hostMemory, crawlMemory, tableKeys } = plugin
  return {
    name,
    ...(version !== undefined && { version }),
    ...(hostMemory && { hostMemory: () => hostMemory.call(plugin) }),
    ...(crawlMemory && { crawlMemory: () => crawlMemory.call(plugin) }),
    ...(tableKeys && { tableKeys: (item, source) => tableKeys.call(plugin, item, seen(source)) }),
    ...(plugin.open && { open: (session, crawl) => plugin.open?.(session, crawl) }),
    onItem: async (item, source, host, crawl) => (await plugin.onItem?.(item, seen(source), host, crawl)) as Json,
    ...(plugin.close && { close: (ended, crawl) => plugin.close?.(ended, crawl) }),
  }
}
