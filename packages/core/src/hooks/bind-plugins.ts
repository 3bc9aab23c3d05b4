// Taps every plugin into the hooks, handing each its own memory as the last arguments, and nobody else's.
//
// What a plugin may use only once it is open (what it made in `open`) it is not asked to use before: it hears of what happens after it has opened, of the
// problems before that then. And it closes only if it has opened.
import { shown } from '../values/shown.ts'
import { isPlain, unlikeJson } from '../values/unlike-json.ts'
import type { HostView } from '../ports/exchange.ts'
import { guardedSync, isThenable, type CrawlHooks } from './hooks.ts'
import type { Json } from '../values/json.ts'
import type { Memories } from '../hosts/memories.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Problem, TraceEvent } from '../ports/trace.ts'
import { LiveHost } from '../hosts/live-host.ts'
import type { Stations } from './stations.ts'

/** What plugins are bound with. */
export interface Bindings {
  /** Open. */
  readonly memories: Memories
  readonly stations: Stations
  /** The problems that were reported so far. */
  notices(): readonly Problem[]
}

/** Taps `plugins`. */
export function bindPlugins(hooks: CrawlHooks, plugins: readonly Plugin[], { memories, ...parts }: Bindings): void {
  plugins.forEach((plugin, index) => bind(hooks, plugin, { ...parts, crawl: memories.crawl[index], hostOf: memoryOf(index) }))
}

/** Every HostView that plugins get to see is a LiveHost. */
function memoryOf(index: number): (view: HostView) => unknown {
  return (view) => (view instanceof LiveHost ? view.memory[index] : undefined)
}

interface Around extends Omit<Bindings, 'memories'> {
  readonly crawl: unknown
  readonly hostOf: (view: HostView) => unknown
}

function bind(hooks: CrawlHooks, plugin: Plugin, around: Around): void {
  const { name, seesRequired = plugin.policy !== undefined } = plugin
  const tap = { name, seesRequired }
  const { crawl, hostOf, stations } = around
  if (!plugin.open) bindOpened(hooks, plugin, around)
  else {
    hooks.open.tapPromise(name, async (session) => {
      await plugin.open?.(session, crawl)
      bindOpened(hooks, plugin, around)
    })
  }
  if (plugin.onDiscover) hooks.onDiscover.tap(name, (discovery) => plugin.onDiscover?.(discovery, crawl))
  if (plugin.admit) hooks.admit.tap(name, (ask) => plugin.admit?.(ask, hostOf(ask.host), crawl))
  if (plugin.onAdmit) hooks.onAdmit.tap(tap, (exchange) => plugin.onAdmit?.(exchange, hostOf(exchange.host), crawl))
  if (plugin.beforeRequest) {
    hooks.beforeRequest.tapAsync(tap, (outgoing, done) => {
      const answer: unknown = plugin.beforeRequest?.(outgoing, hostOf(outgoing.exchange.host), crawl)
      // A plugin that does not wait costs no turn of the event loop.
      if (isThenable(answer)) answer.then(() => done(), done)
      else done()
    })
  }
  if (plugin.onUnsent) hooks.onUnsent.tap(tap, (exchange) => plugin.onUnsent?.(exchange, hostOf(exchange.host), crawl))
  if (plugin.onResponse) hooks.onResponse.tap(tap, (answer) => plugin.onResponse?.(answer, hostOf(answer.exchange.host), crawl))
  if (plugin.onError) hooks.onError.tap(tap, (failed) => plugin.onError?.(failed, hostOf(failed.exchange.host), crawl))
  if (plugin.onItem) {
    hooks.onItem.tapPromise(name, async (item, source) => {
      const answer: unknown = await plugin.onItem?.(item, source, hostOf(source.host), crawl)
      return left(plugin, { item, answer }, stations)
    })
  }
  if (plugin.onHandled) hooks.onHandled.tap(name, (handled) => plugin.onHandled?.(handled, hostOf(handled.host), crawl))
  if (plugin.onCommit) hooks.onCommit.tap(name, (unit) => plugin.onCommit?.(unit, hostOf(unit.host), crawl))
  if (plugin.revisit) hooks.revisit.tap(name, (ask) => plugin.revisit?.(ask, hostOf(ask.host), crawl))
  if (plugin.onSettled) hooks.onSettled.tap(name, (settled) => plugin.onSettled?.(settled, crawl))
}

/** What a plugin takes part in once it has opened: it closes, and receives events, first the problems that were reported before it could. */
function bindOpened(hooks: CrawlHooks, plugin: Plugin, { crawl, stations, notices }: Around): void {
  const { name } = plugin
  if (plugin.close) hooks.close.tapPromise(name, async (report) => plugin.close?.(report, crawl))
  if (!plugin.onTrace) return
  const hear = (event: TraceEvent): void => plugin.onTrace?.(event, crawl)
  const guarded = guardedSync(stations, 'onTrace', { name, fn: hear as (...args: unknown[]) => unknown })
  for (const problem of notices()) guarded(problem)
  hooks.onTrace.tap(name, hear)
}

/** The item as `onItem` leaves it: nothing returned is what was given, which it may have changed. What is no item is lost, and no other of the page with it. */
function left({ name }: Plugin, { item, answer }: { item: Json | null; answer: unknown }, stations: Stations): Json | null {
  if (answer === null) return null
  if (answer === undefined)
    stations.fault(`plugin ${name} returned nothing from onItem: the item stays as it is; return it, or null to drop it`)
  const given = answer ?? item
  const flaw = isPlain(given) ? unlikeJson(given, '$') : `$ is ${shown(given)}`
  if (flaw === undefined) return given as Json
  stations.fault(
    `plugin ${name} made an invalid item in onItem (${flaw}): the item is lost; return a plain object of JSON, or null to drop it`,
  )
  return null
}
