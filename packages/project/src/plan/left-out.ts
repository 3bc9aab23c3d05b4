// Which plugins may do something outside the crawl, so that a run which only tries a spider out leaves them out.
//
// A plugin says so itself (`outsideEffects`). An item that is written to a database cannot be taken back, so one that does not say is left out, too, unless
// it is a policy. Links to its documents, such as files, stay links.
import { basename } from 'node:path'
import type { Plugin, Spider } from '@avocet/core'
import type { CommandConfig } from 'avocet'
import type { Fetcher } from '@avocet/core/store'
import { printable } from '../text/printable.ts'
import type { LoadedConfig } from '../config/config-file.ts'
import type { Treatment } from './policies.ts'
import type { Origin } from '../config/precedence.ts'

/** A treatment without the plugins that have effects outside the crawl, or may have, and which those are. */
export function withoutOutsideEffects({
  policies = [],
  plugins = [],
}: Treatment): Required<Treatment> & { readonly leftOut: readonly Plugin[] } {
  const inside = (plugin: Plugin): readonly Plugin[] => (hasEffects(plugin) ? documentsAlone(plugin) : [plugin])
  const leftOut = [...policies, ...plugins].filter(hasEffects)
  return { policies: policies.flatMap(inside), plugins: plugins.flatMap(inside), leftOut }
}

/** What is no plugin stays, for the crawl to refuse. */
function hasEffects(plugin: Plugin): boolean {
  return plugin?.name !== undefined && (plugin.outsideEffects ?? plugin.policy === undefined)
}

/** A plugin whose documents, such as files, yield nothing, and which does nothing else; none where it has no documents. */
export function documentsAlone({ name, handlers }: Plugin): readonly Plugin[] {
  if (handlers === undefined) return []
  const silent = Object.entries(handlers).map(([key, handler]) => [key, { ...handler, handle: () => [] }] as const)
  return [{ name, handlers: Object.fromEntries(silent) }]
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
): { readonly config: Partial<CommandConfig>; readonly lines: readonly string[] } {
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

/** A line of what is left out; none where nothing is. `what`: as in "left out of WHAT". */
export function leftOutLines({ sinks = [], ...treatment }: Effects, what: string): string[] {
  const { leftOut } = withoutOutsideEffects(treatment)
  const names = [...leftOut.map(({ name }) => printable(name)), ...sinks.map(({ name }) => `sink ${printable(name)}`)]
  const mayRun = leftOut.some(({ outsideEffects }) => outsideEffects === undefined)
  const way = mayRun ? '; if a plugin does nothing outside the crawl, write outsideEffects: false in it' : ''
  return names.length === 0 ? [] : [`left out of ${what}: ${names.join(', ')}${way}`]
}

/** For a run over what was crawled before, such as a replay; nothing where no plugin may. */
export function repeatedEffects(treatment: Treatment): string {
  const names = withoutOutsideEffects(treatment).leftOut.map(({ name }) => printable(name))
  return names.length === 0 ? '' : `; plugins run too, and may repeat what they do outside the crawl: ${names.join(', ')}`
}

/** Where an item comes from. */
type Source = Parameters<NonNullable<Plugin['onItem']>>[1]

/** What a plugin does to items, and nothing of what it does to hosts; `seen`: the source of an item as the plugin is to see it. */
export function onItemsAlone(plugin: Plugin, seen: (source: Source) => Source): Plugin {
  const { name, version, hostMemory, crawlMemory } = plugin
  return {
    name,
    ...(version !== undefined && { version }),
    ...(hostMemory && { hostMemory: () => hostMemory.call(plugin) }),
    ...(crawlMemory && { crawlMemory: () => crawlMemory.call(plugin) }),
    ...(plugin.open && { open: (session, crawl) => plugin.open?.(session, crawl) }),
    onItem: (item, source, host, crawl) => plugin.onItem?.(item, seen(source), host, crawl),
    ...(plugin.close && { close: (ended, crawl) => plugin.close?.(ended, crawl) }),
  }
}

/** Of a run in which a plugin serves every page. */
export const NO_WEB: Fetcher = { fetch: () => () => {}, close: async () => {} }
