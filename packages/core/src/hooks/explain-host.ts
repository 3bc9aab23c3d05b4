// What holds a host, which plugin decided so, and what each plugin knows of it: asked anew from its memory at rest, since `admit` and `explain` are pure.
//
// So `avocet why` can answer about a crawl that another process runs, or that nobody runs: from the store alone, and as of its last commit.
import type { CrawlInfo } from '../ports/crawl-info.ts'
import { type HostRecord, isUntilResumed } from '../ports/frontier-reader.ts'
import type { CrawlConfig } from '../ports/config.ts'
import type { CrawlOrders } from '../ports/orders.ts'
import { compileHostOptions, hostsOptionsOf } from '../ports/host-options.ts'
import type { Json } from '../values/json.ts'
import { Memories } from '../hosts/memories.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Hold } from '../ports/report.ts'
import type { RequiredRequest, TakeDocument } from '../ports/document-handler.ts'
import { LiveHost } from '../hosts/live-host.ts'
import { messageOf } from '../values/errors.ts'
import { isThenable } from './hooks.ts'
import { shown } from '../values/shown.ts'
import { unlikeJson } from '../values/unlike-json.ts'
import { AdmissionCollector } from './admission.ts'

/** A host as the store has it. */
export type HostAtRest = Pick<HostRecord, 'hostKey' | 'waiting' | 'memory'>

/** What is asked about a host. */
export interface ExplainOptions {
  /** Those that are asked. */
  readonly plugins: readonly Plugin[]
  /** What bounds hosts beside plugins. Default: nothing. */
  readonly config?: Pick<CrawlConfig, 'hosts' | 'delayMs' | 'maxPerHost'>
  /** URL that would go next, for plugins that ask. */
  readonly nextUrl?: string | undefined
  /** URL of the host that is asked about, if one is. */
  readonly url?: string
  /** Epoch ms. */
  readonly now: number
}

/** What is known of a host. */
export interface Explanation {
  /** Epoch ms before which it may not be asked; 0 = at once. */
  readonly readyAt: number
  /** Exchanges that may be in flight at once; Infinity = no plugin limits them. */
  readonly atMost: number
  /** Every answer that holds it at `now`, the one that binds first. */
  readonly holds: readonly Hold[]
  /** What held it when it was last given back. Absent where nothing did. */
  readonly heldFor?: Hold
  /** What each plugin knows, by its name. */
  readonly values: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

/** Asks each plugin about a host at rest. */
export function explainHost(
  record: HostAtRest,
  { config = {}, ...asked }: ExplainOptions,
  { crawlMemories, orders }: Pick<CrawlInfo, 'crawlMemories'> & { readonly orders: Pick<CrawlOrders, 'ofHost'> },
): Explanation {
  // Nothing is reported here: the crawl itself says what is wrong with a plugin's memory.
  const memories = new Memories(asked.plugins, { broken: () => {}, pluginError: () => {} })
  memories.openCrawl(crawlMemories)
  const { forgottenAt, limits, pausedUntil } = orders.ofHost(record.hostKey)
  const { core, memory } = memories.restoreHost(record.memory, Infinity, forgottenAt)
  const options = { ...compileHostOptions(hostsOptionsOf(config))(record.hostKey), ...limits }
  const held = { order: 0, core, options, pausedUntil, memory, virtualTime: 0, leasedAt: asked.now }
  return explainLiveHost(new LiveHost({ ...record, epoch: 0, requests: [] }, held), { ...asked, memories })
}

/** Asks each plugin about a host that is held. */
export function explainLiveHost(
  host: LiveHost,
  { plugins, memories, nextUrl, now, ...of }: Omit<ExplainOptions, 'config'> & { readonly memories: Pick<Memories, 'crawl'> },
): Explanation {
  const { memory } = host
  const question = new AdmissionQuestion((asked) => {
    plugins.forEach((plugin, index) => {
      asked.speaker = plugin.name
      try {
        plugin.admit?.(asked, memory[index], memories.crawl[index])
      } catch (error) {
        asked.threw(plugin.name, 'admit', error)
      }
    })
  }, nextUrl)
  const { readyAt, atMost } = question.ask(host, now)
  const values: Record<string, Readonly<Record<string, Json>>> = {}
  plugins.forEach((plugin, index) => {
    if (plugin.explain)
      values[plugin.name] = explained(() => plugin.explain?.({ host, now, ...of }, memory[index], memories.crawl[index]))
  })
  const { heldFor } = host.core
  return {
    readyAt,
    atMost,
    holds: question.holds.toSorted(binding),
    ...(heldFor && { heldFor: { ...heldFor, until: heldFor.until ?? Infinity } }),
    values,
  }
}

/** The latest first: that is the one that binds. Of equals the alphabetically first plugin. */
function binding(a: Hold, b: Hold): number {
  if (a.until !== b.until) return b.until - a.until
  return a.by < b.by ? -1 : 1
}

/** What a plugin knows; why that is not known, where it threw or returned what is not plain JSON. */
function explained(ask: () => unknown): Readonly<Record<string, Json>> {
  try {
    const known = ask() ?? {}
    if (isThenable(known)) known.then(undefined, () => {})
    const flaw = typeof known === 'object' ? unlikeJson(known, 'explain') : `explain is ${shown(known)}`
    return flaw === undefined ? (known as Readonly<Record<string, Json>>) : { problem: `${flaw}: expected a few named values` }
  } catch (error) {
    return { problem: `explain threw: ${messageOf(error)}` }
  }
}

/** The collector behind it. */
class AdmissionQuestion extends AdmissionCollector {
  readonly #said: (Hold & { readonly isCount: boolean })[] = []
  readonly #nextUrl: string | undefined

  /** `admit` asks all plugins. */
  constructor(admit: (question: AdmissionQuestion) => void, nextUrl: string | undefined) {
    super({ admit: { call: () => admit(this) } })
    this.#nextUrl = nextUrl
  }

  /** In the order in which they were given. Who says until when, and that none may be in flight until then, holds it once: until then. */
  get holds(): readonly Hold[] {
    const hasEnd = new Set(this.#said.flatMap(({ by, until, isCount }) => (!isCount && until > this.now ? [by] : [])))
    return this.#said.flatMap(({ isCount, ...hold }) => (isCount && hasEnd.has(hold.by) ? [] : [hold]))
  }

  /** A host at rest has its requests in the store: the caller knows which one would go next. */
  override get nextUrl(): string | undefined {
    return this.#nextUrl
  }

  override notBefore(at: number, why: string): void {
    super.notBefore(at, why)
    if (at > this.now) this.#note(why, isUntilResumed(at) ? Infinity : at)
  }

  override giveUp(reason: string): void {
    super.giveUp(reason)
    this.#note(reason, Infinity)
  }

  override atMost(n: number, why: string): void {
    super.atMost(n, why)
    if (n < 1) this.#note(why, Infinity, true)
  }

  override require(wish: string | RequiredRequest, take: TakeDocument): void {
    super.require(wish, take)
    this.#note(`needs ${typeof wish === 'string' ? wish : wish.known} first`, this.now)
  }

  /** The crawl would let the host rest for a minute; here it is the next question that may find it well. */
  override threw(_plugin: string, _hook: string, error: unknown): void {
    this.#note(`threw in admit: ${messageOf(error)}`, this.now)
  }

  #note(why: string, until: number, isCount = false): void {
    this.#said.push({ by: this.speaker, why, until, isCount })
  }
}
