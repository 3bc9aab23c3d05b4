// Asks for one page after another exactly as a crawl would: each is a crawl of one seed, with the same plugins, and what they learned of a host
// is handed on. So robots.txt is kept to, and a second page of a host waits for its turn.
import { crawl } from 'avocet'
import { hostKeyOf, type Clock, type Fetcher, type FrontierReader } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { parseUrl, type Session } from '@avocet/core/plugin'
import { atRest } from '@avocet/at-rest'
import type { Explanation } from '@avocet/core/tools'
import { activePlugins } from 'avocet'
import { AvocetError, definePlugin } from '@avocet/core'
import type { Plugin, CrawlReport, RunnableConfig, Scope, Seed } from '@avocet/core'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { frontierWith, hostMemories, type HostMemories, type Recalled } from './carried-memory.ts'
import type { RequestWish } from './kept-pages.ts'
import { redirectOf, VisitLog, type Hop, type LogSettings } from './visit-log.ts'
import { outcomeOf, type VisitOutcome } from './visit-outcome.ts'

type Keepable = Awaited<ReturnType<Session['keepable']>>
/** Of an answer: its header fields and body without secrets. */
type KeptPart = NonNullable<ReturnType<Keepable>>

/** What became of one page. */
export interface Visit {
  /** As it was asked for, in WHATWG form. */
  readonly url: string
  readonly hops: readonly Hop[]
  /** What may be kept of the page's last answer; absent where there is none, or nothing may. */
  readonly kept?: KeptPart
  readonly outcome: VisitOutcome
  /** The host of the last hop, by the word of each plugin; absent when the crawl never came to ask one. */
  readonly host?: Explanation & { readonly hostKey: string; readonly memory: Readonly<Record<string, string>> }
  /** By the name of a plugin: the policy that it implements. */
  readonly policyOf: Readonly<Record<string, Plugin['policy']>>
  /** Epoch ms of its end. */
  readonly now: number
}

/** What a visitor goes by. */
export interface VisitorSettings extends LogSettings {
  readonly clock: Clock
  /** As `planOf` gives it; its spider and frontier are not used. */
  readonly config: RunnableConfig
  /** Statuses that a handler would see. */
  readonly accepts?: RunnableConfig['spider']['accepts'] | undefined
  /** What a crawl knows of hosts and sessions, from its store. Default: nothing. */
  readonly recall?: Partial<Recalled> | undefined
}

/** What a visit ended with. */
interface EndedVisit {
  readonly log: VisitLog
  readonly report: CrawlReport
  /** Of the frontier of the visit. */
  readonly reader: FrontierReader
}

/** Asks for pages. */
export class Visitor {
  readonly #settings: VisitorSettings
  readonly #fetcher: Fetcher
  readonly #memories: HostMemories

  constructor(settings: VisitorSettings) {
    this.#settings = settings
    const { clock, config, recall } = settings
    this.#memories = hostMemories(recall)
    const { sizeLimits, resolver, nameServers, bodyBudgetBytes } = config
    const names = { ...(resolver && { resolver }), ...(nameServers && { nameServers }) }
    const sizes = { ...(sizeLimits && { limits: sizeLimits }), ...(bodyBudgetBytes !== undefined && { bodyBudgetBytes }) }
    this.#fetcher = config.fetcher ?? undiciFetcher({ clock, ...sizes, ...names })
  }

  /** Asks for `url`. Throws what keeps a crawl from beginning, and AVO_… of a crawl that broke. */
  async visit(url: string, wish: RequestWish = {}): Promise<Visit> {
    const { config, clock, patienceMs } = this.#settings
    const { maxPages: _pages, maxTimeMs: _time, ...others } = config
    // These are the fetcher's, which is made already.
    const { resolver: _resolver, nameServers: _servers, bodyBudgetBytes: _budget, ...treatment } = others
    const fetcher = this.#fetcher
    const frontier = frontierWith(this.#memories)
    const spider = this.#spiderFor({ ...wish, url })
    const opened: { session?: Session } = {}
    const listens = definePlugin({ name: 'visit', outsideEffects: false, open: (session) => void (opened.session = session) })
    const run = crawl({
      ...treatment,
      // What a page becomes is the crawl's: here it is only looked at, and so are no other pages of its site.
      sinks: [],
      recrawl: [],
      plugins: [...(treatment.plugins ?? []).filter(({ name }) => name !== 'sitemaps' && name !== 'files'), listens],
      clock,
      spider,
      frontier,
      fetcher: {
        ...(fetcher.rendering && { rendering: fetcher.rendering }),
        ...(fetcher.bodyBudget && { bodyBudget: fetcher.bodyBudget }),
        fetch: (...outbound) => fetcher.fetch(...outbound),
        close: async () => {},
      },
      patienceMs,
      drainMs: 0,
    })
    const log = new VisitLog(run, this.#settings)
    try {
      const report = await run.run()
      if (report.error) throw new AvocetError(report.error.code as AvocetError['code'], report.error.message)
      await this.#memories.keep(frontier)
      const kept = opened.session && keptOf(log.last, await opened.session.keepable())
      return { ...(await this.#visitOf(url, { log, report, reader: frontier.reader })), ...(kept && { kept }) }
    } finally {
      await frontier.close()
    }
  }

  /** Closes its connections. */
  close(): Promise<void> {
    return this.#fetcher.close()
  }

  #spiderFor(seed: Seed): RunnableConfig['spider'] {
    const { accepts, config } = this.#settings
    const plugins = config.plugins ?? []
    const documents = plugins.flatMap(({ handlers }) => Object.keys(handlers ?? {}))
    // What plugins send URLs to is the crawl's, and plays no part here.
    const linked = plugins.flatMap(({ linksTo }) => linksTo ?? []).filter((name) => !documents.includes(name))
    const handlers = Object.fromEntries(['start', ...linked].map((name) => [name, () => []]))
    // What is typed is what is requested, with its tracking parameters.
    const scope: Scope = { within: 'any', dropParameters: { tracking: false } }
    return { name: 'visit', seeds: [seed], scope, handlers, ...(accepts && { accepts }) }
  }

  async #visitOf(url: string, { log, report, reader }: EndedVisit): Promise<Visit> {
    const now = this.#settings.clock.now()
    const { hops, settled, last, pausedFor } = log
    const target = last && redirectOf(last)
    const lastUrl = last?.request.url ?? url
    const host = await this.#explained(target === undefined ? lastUrl : (parseUrl(target, lastUrl) ?? lastUrl), { reader, now })
    // A crawl that never came to ask leaves what holds its host in the memory of that.
    const hold = log.hold(now) ?? host?.holds.find(({ until }) => Number.isFinite(until))
    const outcome = outcomeOf({ hops, settled, report, ...(hold && { hold }), ...(pausedFor !== undefined && { pausedFor }) })
    const policyOf = Object.fromEntries(
      activePlugins(this.#settings.config).flatMap(({ name, policy }) => (policy === undefined ? [] : [[name, policy] as const])),
    )
    return {
      url: withoutCredentials(url, this.#settings.config.secretParameters),
      hops,
      outcome,
      policyOf,
      now,
      ...(host && { host }),
    }
  }

  async #explained(
    url: string,
    { reader, now }: { readonly reader: FrontierReader; readonly now: number },
  ): Promise<Visit['host']> {
    const { config } = this.#settings
    const { hostKeying = 'host' } = config
    const hostKey = hostKeyOf(url, hostKeying)
    const memory = await this.#memories.of(hostKey)
    if (Object.keys(memory).length === 0) return undefined
    const asked = { plugins: activePlugins(config), config, now, nextUrl: url }
    return { hostKey, memory, ...(await atRest(reader)).explain({ hostKey, waiting: 0, memory }, asked) }
  }
}

/** Plugins may have sent header fields of their own: the answer may repeat what is secret in these, too. */
function keptOf(last: Hop | undefined, keepable: Keepable): KeptPart | undefined {
  if (last?.end.kind !== 'answered') return undefined
  const { request, sentHeaders, end } = last
  return keepable({ request: { ...request, headers: { ...request.headers, ...sentHeaders } }, response: end.response })
}
