// One run of a crawl, from opening to report. Policy lives in plugins, mechanism in the wheel; here is the life of a run, and its end.
import { AvocetError, messageOf } from '../errors.ts'
import type { CrawlInfo } from '../frontier.ts'
import { createHooks, type CrawlHooks } from '../hooks.ts'
import { Memories } from '../memory.ts'
import type { CrawlReport, CrawlStatus, Ending } from '../report.ts'
import { Slots } from '../scheduler/slots.ts'
import { CANONICALISATION } from '../url/canonicalize.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { portProblems } from '../url/scope-ports.ts'
import { compileScope } from '../url/scope.ts'
import { siteOf } from '../url/site.ts'
import { bindPlugins } from './bind-plugins.ts'
import { Discoveries } from './discovery.ts'
import { endingOf } from './ending.ts'
import { Headers } from './headers.ts'
import { Heartbeat } from './heartbeat.ts'
import { Pause } from './pause.ts'
import { Recrawl } from './recrawl.ts'
import { closed, opened } from './open-and-close.ts'
import { reportOf } from './report-of.ts'
import { scheduleAgain } from './schedule-again.ts'
import { offerSeeds, seedsOf, type CheckedSeed } from './seeds.ts'
import type { Settings } from './settings.ts'
import { Stations } from './stations.ts'
import { isLocked, StoreCalls } from './store-calls.ts'
import { adoptStoreTime } from './store-time.ts'
import { statusOf, type Totals } from './status-of.ts'
import { Tally } from './tally.ts'
import { Wheel } from './wheel.ts'

/** An ending and its one sentence. */
type End = { readonly ended: Ending; readonly why: string }

/** Totals of a crawl whose frontier is not open yet. */
const NOTHING_KNOWN: Totals = { known: 0, waiting: 0, settled: 0, items: 0 }

/** What `crawl(config)` gives, under the interface `Crawl`. */
export class CrawlRun {
  readonly hooks: CrawlHooks
  readonly #settings: Settings
  readonly #tally: Tally
  readonly #stations: Stations
  readonly #memories: Memories
  readonly #pause: Pause
  readonly #calls: StoreCalls
  readonly #recrawl: Recrawl
  #startedAt: number
  readonly #over: PromiseWithResolvers<End> = Promise.withResolvers()
  /** Absent until the frontier is open. */
  #wheel: Wheel | undefined
  #phase: CrawlStatus['phase'] = 'opening'
  #begun = false
  #lookedOnceMore = false
  #stopping: End | undefined
  /** Handlers are not waited for any more. */
  #aborted = false
  #error: AvocetError | undefined
  #drainTimer: Disposable | undefined

  constructor(settings: Settings) {
    this.#settings = settings
    this.#startedAt = settings.clock.now()
    this.#tally = new Tally(settings.clock, (problem) => this.hooks.onProblem.call(problem))
    this.#stations = new Stations(this.#tally.problem, (error) => this.#fail(error))
    this.hooks = createHooks(this.#stations)
    this.#memories = new Memories(settings.plugins, {
      problem: this.#tally.problem,
      pluginError: (message) => this.#stations.fault(message),
    })
    this.#recrawl = new Recrawl(settings.recrawl)
    this.#pause = new Pause(settings.clock, () => this.#wheel?.go())
    const { clock, storePatienceMs: patienceMs } = settings
    this.#calls = new StoreCalls({ clock, pause: this.#pause, patienceMs, problem: this.#tally.problem })
  }

  async run(): Promise<CrawlReport> {
    const { clock, frontier, maxTimeMs } = this.#settings
    if (this.#begun) throw new AvocetError('AVO_INTERNAL', 'expected a crawl to be run once; make another with crawl(config)')
    this.#begun = true
    const info = await this.#during('opening', () => this.#open())
    if (this.#phase === 'opening') this.#phase = 'running'
    const timers = [
      new Heartbeat(frontier, clock, {
        renew: () => this.#wheel?.window.renew(this.#tally.problem),
        problem: this.#tally.problem,
      }),
      maxTimeMs === Infinity
        ? undefined
        : clock.at(this.#startedAt + maxTimeMs, () => this.#drain({ ended: 'limit', why: 'the time is up' })),
    ]
    this.#wheel?.go()
    const end = await this.#over.promise
    for (const timer of [...timers, this.#drainTimer]) timer?.[Symbol.dispose]()
    return this.#during('closing', () => this.#close(end, info))
  }

  stop(): void {
    this.#drain({ ended: 'stopped', why: 'asked to stop' })
  }

  abort(): void {
    this.#aborted = true
    this.#drain({ ended: 'stopped', why: 'asked to stop at once' })
    this.#letGo()
  }

  pause(why: string): void {
    this.#pause.byUser(why)
  }

  resume(): void {
    this.#pause.byUser(undefined)
  }

  status(): CrawlStatus {
    const paused = this.#pause.why
    return statusOf({
      name: this.#settings.spider.name,
      phase: this.#phase === 'running' && paused !== undefined ? 'paused' : this.#phase,
      now: this.#settings.clock.now(),
      startedAt: this.#startedAt,
      run: { ...this.#tally.counts, pluginErrors: this.#stations.caught },
      totals: this.#wheel?.totals ?? NOTHING_KNOWN,
      slots: this.#wheel?.slots ?? new Slots(this.#settings.concurrency),
      handlersRunning: this.#wheel?.pages.running ?? 0,
      hosts: this.#wheel?.window.hosts.values() ?? [],
      ...(paused !== undefined && { pausedFor: paused }),
    })
  }

  async #open(): Promise<CrawlInfo> {
    const { spider, frontier, clock, hostKeying, plugins } = this.#settings
    const seeds = await seedsOf(spider)
    const info = await frontier.open({ name: spider.name, canonicalisation: CANONICALISATION, hostKeying }, clock.now())
    for (const problem of adoptStoreTime(clock, info)) this.#tally.problem(problem)
    this.#startedAt += info.aheadMs ?? 0
    this.#memories.openCrawl(info.crawlMemories, info.setBackMs ?? 0)
    bindPlugins(this.hooks, plugins, { memories: this.#memories, fault: (message) => this.#stations.fault(message) })
    await opened(this.hooks.open.promise({ info, now: clock.now(), clock }), { clock, stations: this.#stations })
    await scheduleAgain(frontier, this.#recrawl, { info, now: clock.now() })
    // Hosts that earlier runs gave up are asked again: while this one watches at their own moments, otherwise now.
    const from = this.#recrawl.watches ? Infinity : clock.now()
    if (info.resumed) await frontier.probeRetired({ from, now: clock.now() })
    const { discoveries, headers } = this.#scope(seeds)
    const { added } = await offerSeeds(seeds, discoveries, frontier)
    const { known, waiting, settled, items } = info
    this.#wheel = this.#makeWheel({
      discoveries,
      headers,
      totals: { known: known + added, waiting: waiting + added, settled, items },
    })
    return info
  }

  /** Who is named by the user, and what belongs to the crawl. */
  #scope(seeds: readonly CheckedSeed[]): { discoveries: Discoveries; headers: Headers } {
    const { spider, hostKeying } = this.#settings
    const named = seeds.map(({ url }) => hostKeyOf(url, hostKeying))
    for (const problem of portProblems(spider.scope, seeds)) this.#tally.problem(problem)
    const scopeHosts = this.#joinedBefore(named)
    const scope = compileScope(spider.scope ?? {}, [...named, ...scopeHosts], (hostKey) => scopeHosts.push(hostKey))
    return {
      discoveries: new Discoveries(this.hooks, scope, hostKeying),
      headers: new Headers(this.#settings, new Set([...named, ...(spider.scope?.hosts ?? [])])),
    }
  }

  /** Hosts that joined in earlier runs, as far as they are of a seed's site: earlier versions let in whatever a seed redirected to. */
  #joinedBefore(named: readonly string[]): string[] {
    const { core } = this.#memories
    const { within, hosts = [] } = this.#settings.spider.scope ?? {}
    const sites = new Set(named.map(siteOf))
    const lost = core.scopeHosts.filter((host) => !sites.has(siteOf(host)) && !hosts.includes(host))
    core.scopeHosts = core.scopeHosts.filter((host) => sites.has(siteOf(host)))
    if (lost.length > 0 && within !== 'any') {
      const some = lost.slice(0, 10).join(', ') + (lost.length > 10 ? `, and ${lost.length - 10} more` : '')
      this.#tally.problem(
        `a seed redirected to hosts of other sites in an earlier run (${some}): links to them are no longer followed; add those that you want to scope.hosts`,
      )
    }
    return core.scopeHosts
  }

  #makeWheel(found: { discoveries: Discoveries; headers: Headers; totals: Totals }): Wheel {
    return new Wheel({
      ...found,
      recrawl: this.#recrawl,
      settings: this.#settings,
      hooks: this.hooks,
      memories: this.#memories,
      tally: this.#tally,
      pause: this.#pause,
      calls: this.#calls,
      open: () => this.#isOpen(),
      pageDone: () => this.#pageDone(),
      check: () => this.#check(),
      failed: (error) => this.#fail(error),
    })
  }

  #isOpen(): boolean {
    const wheel = this.#wheel
    if (!wheel || this.#phase !== 'running' || this.#stopping || this.#pause.why !== undefined) return false
    return this.#tally.counts.pages + wheel.slots.used + wheel.pages.running < this.#settings.maxPages
  }

  #pageDone(): void {
    const { maxPages } = this.#settings
    if (++this.#tally.counts.pages >= maxPages) this.#stopping ??= { ended: 'limit', why: `${maxPages} pages are done` }
  }

  #check(): void {
    const wheel = this.#wheel
    if (!wheel || this.#phase === 'opening' || this.#phase === 'closed') return
    const { clock, patienceMs } = this.#settings
    const now = clock.now()
    const { scheduler, window, slots, pages, commits, strangers } = wheel
    const asking = (window.busy ? 1 : 0) + (strangers.busy ? 1 : 0)
    const end = endingOf({
      underWay: slots.used + (this.#aborted ? 0 : pages.running) + (this.#error ? 0 : commits.pending) + asking,
      nextAt: scheduler.ready > 0 ? now : Math.min(scheduler.nextReadyAt, window.moreAt),
      now,
      patienceMs,
      paused: this.#pause.why !== undefined,
      watching: this.#recrawl.watches,
      stopping: this.#stopping,
    })
    if (slots.used > 0) this.#lookedOnceMore = false
    // Before a crawl is called done the frontier is asked once more, with empty hands: it is the truth, our counts are not.
    if (end?.ended === 'done' && !this.#lookedOnceMore) {
      this.#lookedOnceMore = true
      return window.giveAllBack()
    }
    if (end) this.#over.resolve(end)
  }

  /** Begins nothing more; what is in flight may end, within `drainMs`. */
  #drain(end: End): void {
    this.#stopping ??= end
    if (this.#phase !== 'running') return
    this.#phase = 'draining'
    this.#drainTimer = this.#settings.clock.at(this.#settings.clock.now() + this.#settings.drainMs, () => {
      this.#aborted = true
      this.#letGo()
    })
    this.#wheel?.recallUnsent()
    this.#wheel?.go()
  }

  /** The crawl cannot go on: what was committed is whole, the rest is waiting in the store. */
  #fail(error: unknown): void {
    this.#error ??= error instanceof AvocetError ? error : new AvocetError('AVO_INTERNAL', messageOf(error), { cause: error })
    this.#stopping = { ended: 'failed', why: this.#error.message }
    this.#aborted = true
    this.#drain(this.#stopping)
    this.#letGo()
  }

  /** Waits for nothing any more: not for hosts, and not for a store that cannot be used. */
  #letGo(): void {
    this.#calls.giveUp()
    this.#wheel?.abort()
  }

  async #close(end: End, info: CrawlInfo): Promise<CrawlReport> {
    const { spider, clock, fetcher, frontier } = this.#settings
    this.#phase = 'closed'
    this.#tally.counts.pluginErrors = this.#stations.caught
    this.#pause.close()
    if (clock.trouble !== undefined) this.#tally.problem(clock.trouble)
    // All outcomes are committed; what a locked store does not take back is free once this process is gone.
    const closing = this.#wheel?.close(this.#error === undefined)
    await closing?.catch((error: unknown) => (isLocked(error) ? this.#tally.problem(messageOf(error)) : this.#fail(error)))
    await fetcher.close()
    const { ended, why } = (this.#error && this.#stopping) ?? end
    const facts = {
      name: spider.name,
      ended,
      why,
      resumed: info.resumed,
      startedAt: this.#startedAt,
      endedAt: clock.now(),
      tally: this.#tally,
      totals: this.#wheel?.totals ?? NOTHING_KNOWN,
    }
    const report = await reportOf({ ...facts, ...(this.#error && { error: this.#error }) }, frontier.reader)
    await closed(this.hooks.close.promise(report), { clock, stations: this.#stations })
    // A plugin may have thrown while it closed: the report that it was given could not know.
    return { ...report, run: { ...report.run, pluginErrors: this.#stations.caught }, problems: this.#tally.problems }
  }

  /** Virtual time stands still while core itself awaits something. */
  async #during<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> {
    using _hold = this.#settings.clock.hold(name)
    return await work()
  }
}
