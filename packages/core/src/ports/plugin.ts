// A plugin is a record whose keys are hooks, and each hook gets its subject first, then the plugin's own memory.
//
// Plugins commute: they answer collectors (latest moment, smallest number, loudest verdict), so their order cannot matter. The one
// exception is `onItem`, which runs in array order. Memory is plain JSON and is committed with the outcomes that it was learned from.
import type { Clock } from './clock.ts'
import type { BodySaver, ProxyServer } from './fetcher.ts'
import type { Answered, Exchange, Failed, HostView, NextRequest } from './exchange.ts'
import type { DocumentHandler, RequiredRequest, TakeDocument } from './document-handler.ts'
import type { Outcome } from './frontier.ts'
import type { Json, JsonShape } from '../values/json.ts'
import type { Session } from './session.ts'
import type { CrawlReport } from './report.ts'
import type { Request } from './request.ts'
import type { Revisit } from './revisit.ts'
import type { Response } from './response.ts'
import type { TraceEvent } from './trace.ts'
import type { Handled, HandlerFailed, HostFindings, Unit } from './unit.ts'

/** Collects what holds a host. `admit` must not write: neither its memory, nor dice. */
export interface Admission {
  /** The host that would be requested. */
  readonly host: HostView
  /** Epoch ms. */
  readonly now: number
  /** URL of the request that would go next; undefined when none is at hand. */
  readonly nextUrl: string | undefined
  /** Name of its session; undefined where it has none. */
  readonly nextSession: string | undefined
  /**
   * The host was given up, and this asks for one request to see whether it is back. A plugin that says `giveUp` again has it
   * stay given up.
   */
  readonly probing: boolean
  /** From when a delay between two requests counts, epoch ms; now while one is booked and not sent yet; 0 when there was none. */
  readonly delayFrom: number
  /** Not before `at` (epoch ms); the latest counts. `Infinity`: not before one of its exchanges settles. */
  notBefore(at: number, why: string): void
  /** The host is given up. One plugin is enough. It is asked about again after a day (`probing`), or in the next run. */
  giveUp(reason: string): void
  /** At most `n` in flight; the smallest counts. What is booked above it and not yet sent is recalled. */
  atMost(n: number, why: string): void
  /** Requests a second that the policy has found, for those who write it down (`HostView.pacedRps`). It holds nothing back. */
  paces(rps: number): void
  /**
   * Not before a URL, or a request of the plugin's own, has been answered and given to `take`, which may write to memory and is
   * not awaited. On another host such requests are made one at a time, a second apart, and fail with AVO_REQUIRED_ELSEWHERE
   * after waiting 30 s. After a `take` that throws, and after ten documents in ten minutes with no other request, the host rests
   * for ten minutes.
   */
  require(wish: string | RequiredRequest, take: TakeDocument): void
}

/** A URL that may become a request. Any refusal refuses; all reasons are kept. */
export interface Discovery {
  /** Absolute, without a fragment. */
  readonly url: string
  /** Host name, and port if it is not the default. */
  readonly hostKey: string
  /** How it was found. */
  readonly kind: 'seed' | 'link' | 'redirect'
  /** Handler for its page. */
  readonly handler: string
  /** Number of links between the nearest seed and this; seeds have 0. */
  readonly depth: number
  /** The request whose page led here; absent for seeds. */
  readonly from?: Request
  /** It does not become a request. `reason`: a short kebab-case word, which reports show. */
  refuse(reason: string): void
}

/** A request that is about to be sent. */
export interface OutgoingRequest {
  /** What is about to be sent. */
  readonly exchange: Exchange
  /** Epoch ms. */
  readonly now: number
  /**
   * Header fields of the crawl, session and link, by lower-case name, before plugins set theirs. Secrets begin with `__secret`.
   */
  readonly given: Readonly<Record<string, string>>
  /** Sets a header field. Two plugins that want different values fail with AVO_PLUGIN_CONFLICT. */
  setHeader(name: string, value: string): void
  /**
   * Sends it through this proxy (`proxyServer` of `@avocet/plugin-proxies`). Its faults do not count: they come as `onUnsent`.
   * Two plugins that want different ones fail with AVO_PLUGIN_CONFLICT.
   */
  setProxy(proxy: ProxyServer): void
  /** Do not send; settle as failed. A drop beats a retry beats a served response. */
  drop(reason: string): void
  /** Do not send; put back until `at`, uncounted. */
  retry(at: number, reason: string): void
  /** Do not send; this is the answer (a cache), which the server gave at `response.fetchedAt`. */
  serve(response: Response): void
  /** Has the body saved instead of read (`response.saved`), for a document of a plugin. */
  save(saver: BodySaver): void
}

/** A unit that was committed. */
export interface Settled {
  /** What was requested. */
  readonly request: Request
  /** `outcome.kind`: `done`, `moved`, `failed` or `retry`. */
  readonly outcome: Outcome
  /** Items of the page. */
  readonly items: number
  /** Links of the page that were new. */
  readonly added: number
  /** Epoch ms. */
  readonly now: number
}

/** A policy: what may be requested (robots.txt), how fast, whether at all, how long to wait, what to retry, when to visit again. */
type PolicyName = 'robots' | 'rate' | 'breaker' | 'timeouts' | 'retry' | 'recrawl'

/** A place outside the crawl that a plugin sent a test message to. */
interface Tried {
  /** Its name, without secrets. */
  readonly to: string
  /** What went wrong. Absent: it took the message. */
  readonly problem?: string
}

/** Where an item comes from. */
export interface ItemSource {
  /** Whose page yielded it. */
  readonly request: Request
  /** The host of the page. */
  readonly host: HostView
  /** Its number among the items of the page, from 0. */
  readonly ordinal: number
}

/** The hooks, each with this plugin's memory behind its subject (`onItem`: behind the item and its source): `host` (the one in question) and `crawl`. */
export interface PluginRecord<Host, Crawl, Item = Json> {
  /** Unique among the plugins of a crawl; names its memory and its answers. */
  readonly name: string
  /** Of its memory's shape; default 1. Memory of another version starts fresh. */
  readonly version?: number
  /** The policy that it implements, if it does. Among `plugins` it replaces that of `policies`; a `rate` policy also replaces core's fixed delay. */
  readonly policy?: PolicyName
  /**
   * Whether it does anything outside the crawl, such as sending an alert: what only tries a spider out (`avocet parse`) leaves it out.
   * Default: `true`, of a policy `false`.
   */
  readonly outsideEffects?: boolean
  /**
   * Whether `onAdmit`, `beforeRequest`, `onUnsent`, `onResponse` and `onError` are also called for exchanges that plugins required, such as robots.txt and
   * logins: for what spaces, rates or routes all that a host is asked. Default: `false`, of a policy `true`.
   */
  readonly seesRequired?: boolean
  /** Whether it looks at pages in `onResponse`: then an HTML page that comes in place of a file (`save`) is read first. Default: `false`. */
  readonly readsPages?: boolean
  /** What it was made with, for reports on the run: plain JSON, without secrets. A `robots` policy that requests no robots.txt says `{ ignore: true }`. */
  readonly options?: Readonly<Record<string, Json>>
  /** Memory of a host that was never met. */
  hostMemory?(): Host
  /**
   * What is left of a host's memory when an operator has the policies forget the host: what the host itself has asked for. Default: nothing, as of a host
   * that was never met. Called while nothing of the host is in flight.
   */
  forgetHost?(memory: Host): Host
  /** Memory of a crawl that was never run. */
  crawlMemory?(): Crawl
  /**
   * Joins the crawl memories of several processes on open. Some of them may still be running: a sum would count twice, take the larger. Where it is more than
   * 56 KiB as JSON, `a` stays and `b` is left out.
   */
  merge?(a: Crawl, b: Crawl): Crawl
  /** Reads its own documents, such as sitemaps. A link or a seed names the handler `map` of the plugin `shop` as `shop/map`. */
  readonly handlers?: Readonly<Record<string, DocumentHandler<Crawl>>>
  /** Handlers of the spider that its URLs go to: `avocet check` names one that is not there. */
  readonly linksTo?: readonly string[]
  /** What it adds to reports on hosts at rest. */
  readonly findings?: HostFindings
  /** Sends a test message to each place that it sends messages to, for `avocet check --alerts`. No crawl runs. */
  test?(trial: { readonly crawl: string; readonly clock: Clock }): Promise<readonly Tried[]>

  open?(session: Session, crawl: Crawl): void | Promise<void>
  onDiscover?(discovery: Discovery, crawl: Crawl): void
  admit?(ask: Admission, host: Host, crawl: Crawl): void
  onAdmit?(exchange: Exchange, host: Host, crawl: Crawl): void
  beforeRequest?(outgoing: OutgoingRequest, host: Host, crawl: Crawl): void | Promise<void>
  /**
   * Name of the way out of a plugin that calls `setProxy`: of the host's next request, or of an exchange, which keeps to it from its booking on. Limits
   * `by: 'exit'` go by it. Undefined: it goes directly.
   */
  exitOf?(of: NextRequest | Exchange, crawl: Crawl): string | undefined
  onUnsent?(exchange: Exchange, host: Host, crawl: Crawl): void
  onResponse?(answer: Answered, host: Host, crawl: Crawl): void
  onError?(failed: Failed, host: Host, crawl: Crawl): void
  /**
   * The item, changed or not: a plain object of JSON; `null` drops it. In array order of the plugins. The type that you declare for it
   * (`onItem(item: Offer)`) is checked against the items of the spider where the compiler knows both, and by nobody else.
   */
  onItem?(item: Item, source: ItemSource, host: Host, crawl: Crawl): Item | Json | null | Promise<Item | Json | null>
  /** A page that a handler of the spider is done with, or that any handler failed on (`handled.failure`): then it may vote. */
  onHandled?(handled: Handled | HandlerFailed, host: Host, crawl: Crawl): void
  /** What is noted in memory here is committed with the unit. */
  onCommit?(unit: Unit, host: Host, crawl: Crawl): void
  /** Whether a page that is about to be settled is visited again, and when: asked in the tick in which its outcome is made, and committed with it. */
  revisit?(ask: Revisit, host: Host, crawl: Crawl): void
  onSettled?(settled: Settled, crawl: Crawl): void
  /**
   * Everything that happens to exchanges and hosts, and problems, for those who decide nothing. Nothing is made up for it while nobody listens. Called after
   * `open`, then also with the problems before it.
   */
  onTrace?(event: TraceEvent, crawl: Crawl): void
  close?(report: CrawlReport, crawl: Crawl): void | Promise<void>

  /**
   * What it knows of a host, for `avocet why` and reports: a few named values, such as `{ foundRps: 4.8 }`; units are suffixes. `url`: present where one
   * of its URLs is asked about. Pure, and also asked about hosts at rest.
   */
  explain?(
    asked: { readonly host: HostView; readonly now: number; readonly url?: string },
    host: Host,
    crawl: Crawl,
  ): Readonly<Record<string, Json>>
}

/** A plugin, whatever its memory. `Item`: what its `onItem` takes items for; `unknown`: anything. */
export type Plugin<Item = unknown> = PluginRecord<unknown, unknown, Item>

/**
 * Declares a plugin. Memory that is not plain JSON does not compile.
 *
 * @example
 * ```ts
 * // count-bytes.ts
 * import { definePlugin } from 'avocet'
 *
 * export const countBytes = definePlugin({
 *   name: 'count-bytes',
 *   hostMemory: () => ({ bytes: 0 }),
 *   onResponse({ response }, host) {
 *     host.bytes += response.wireBytes
 *   },
 * })
 * ```
 */
export function definePlugin<Host = undefined, Crawl = undefined, Item = Json>(
  record: PluginRecord<Host, Crawl, Item> & MemoryIsJson<'hostMemory', Host> & MemoryIsJson<'crawlMemory', Crawl>,
): Plugin<Json extends NoInfer<Item> ? unknown : NoInfer<Item>> {
  return record
}

// Beside the record, not in the type of its members: there it would make `{ bytes: 0 }` infer as `{ bytes: 0 }` instead of `{ bytes: number }`.
type MemoryIsJson<Part extends string, Memory> = [Memory] extends [JsonShape<Memory> | undefined]
  ? unknown
  : { readonly [_ in Part]: () => JsonShape<Memory> }
