// One run of a crawl, from opening to report. Policy lives in plugins, mechanism in the engine; here is the life of a run, and its end.
import { AvocetError, messageOf } from '../values/errors.ts'
import { formatDuration } from '../values/duration-text.ts'
import type { Control, GivenUpChange } from '../ports/orders.ts'
import type { CrawlInfo } from '../ports/crawl-info.ts'
import type { Explanation } from '../hooks/explain-host.ts'
import { createHooks, trace, type CrawlHooks } from '../hooks/hooks.ts'
import { Memories } from '../hosts/memories.ts'
import { itemsOf } from '../ports/frontier-reader.ts'
import type { CrawlReport, CrawlStatus } from '../ports/report.ts'
import type { Drain, StopWait } from './drain.ts'
import type { End } from './ending.ts'
import type { Engine } from './engine.ts'
import { Pause } from '../run/pause.ts'
import { runSinks } from './run-sinks.ts'
import { withDocuments } from '../pages/plugin-documents.ts'
import { Revisits } from '../hooks/revisits.ts'
import { Besides, type Run } from '../run/run.ts'
import type { SeedFlow } from '../discovery/seed-flow.ts'
import type { Settings } from '../run/settings.ts'
import { Stations } from '../hooks/stations.ts'
import { isLocked, isPassing, StoreCalls } from '../run/store-calls.ts'
import { adoptStoreTime } from '../run/store-clock.ts'
import { TenureWatch } from '../run/tenure-watch.ts'
import type * as RunningParts from './running.ts'
import { statusOf } from './status-of.ts'
import { Tally } from '../run/tally.ts'

type Running = typeof RunningParts

/** What `crawl(config)` gives, under the interface `Crawl`. */
export class CrawlRun<Item> {
  readonly hooks: CrawlHooks
  readonly #run: Run
  #startedAt: number
  /** Absent until the frontier is open, like the engine until all is, and the code until the crawl is begun. */
  #info: CrawlInfo | undefined
  #engine: Engine | undefined
  #running: Running | undefined
  #phase: CrawlStatus['phase'] = 'opening'
  #begun = false
  #stopping: End | undefined
  #error: AvocetError | undefined
  #draining: Drain | undefined
  #heartbeat: Disposable | undefined
  #isCrawling = false
  #interrupted = false
  #flow: SeedFlow | undefined

  constructor(given: Settings) {
    const settings = { ...given, spider: withDocuments(given.spider, given.plugins, (index) => memories.crawl[index]) }
    const { clock, frontier, storePatienceMs: patienceMs } = settings
    this.#startedAt = clock.now()
    const goOn = (): void => this.#engine?.go()
    const fail = (error: unknown): void => this.#fail(error)
    const tally = new Tally(clock, (problem) => trace(this.hooks, 'problem', () => problem), settings.codec.text)
    const stations = new Stations(tally, fail)
    const memories = new Memories(settings.plugins, { broken: fail, pluginError: (message) => stations.fault(message) })
    const pause = new Pause(clock, goOn, () => this.#tellPause())
    const calls = new StoreCalls({ clock, pause, patienceMs, problem: tally.outage })
    this.hooks = createHooks(stations)
    const revisits = new Revisits(this.hooks)
    this.#run = {
      ...{ settings, hooks: this.hooks, tally, stations, memories, pause, calls, goOn, fail },
      revisits,
      tenure: new TenureWatch({ frontier, clock }),
      sinks: runSinks({ settings, calls, tally, fail, revisits }),
      besides: new Besides({ goOn, fail }),
      status: () => this.status(),
      gained: (gains) => this.#engine?.window.gained(gains),
      stop: (now) => (now ? this.abort() : this.stop()),
    }
  }

  async run(): Promise<CrawlReport> {
    if (this.#begun) throw new AvocetError('AVO_INTERNAL', 'expected a crawl to be run once; make another with crawl(config)')
    this.#begun = true
    const running = (this.#running = await this.#during('code', () => import('./running.ts')))
    using _life = { [Symbol.dispose]: () => this.#heartbeat?.[Symbol.dispose]() }
    const engine = await this.#open(running).catch((error: unknown) => ({ error }))
    if ('error' in engine) return await this.#notBegun(running, this.#run.settings.codec.current.error(engine.error))
    if (this.#phase === 'opening') this.#phase = 'running'
    const limit = this.#limit()
    this.#isCrawling = true
    const end = await engine.begin()
    this.#isCrawling = false
    this.#flow?.stop()
    for (const timer of [limit, this.#draining, this.#run.tenure]) timer?.[Symbol.dispose]()
    await this.#giveBack()
    await this.#finishSinks(end)
    return await this.#during('closing', () => this.#close(running, end))
  }

  stop({ recallMs, interrupted = false }: StopWait = {}): void {
    this.#interrupted ||= interrupted
    this.#drain({ ended: 'stopped', why: 'asked to stop' })
    if (recallMs !== undefined) this.#draining?.hasten(recallMs)
  }

  abort(): void {
    this.#drain({ ended: 'stopped', why: 'asked to stop at once' })
    this.#run.sinks.letGo()
    this.#letGo()
  }

  pause(why: string): void {
    this.#run.pause.hold('user', why)
  }

  resume(): void {
    this.#run.pause.hold('user', undefined)
  }

  async control(order: Control | GivenUpChange): Promise<void> {
    if (this.#engine === undefined)
      throw new AvocetError('AVO_USAGE', 'expected a crawl that is open, got one that is not; wait for it')
    return this.#engine.orders.give(order)
  }

  items(): AsyncIterable<Item> {
    return itemsOf(this.#run.settings.frontier.reader)
  }

  status(): CrawlStatus {
    const [phase, startedAt, engine, draining] = [this.#phase, this.#startedAt, this.#engine, this.#draining]
    return statusOf(this.#run, { phase, startedAt, engine, draining, seeds: this.#flow?.progress })
  }

  explain(hostKey: string): Explanation | undefined {
    const host = this.#engine?.window.hosts.get(hostKey)
    return host && this.#running?.explainHeldHost(host, this.#run)
  }

  #tellPause(): void {
    const { why, by } = this.#run.pause
    const at = this.#run.settings.clock.now()
    if (why === undefined || by === undefined) return trace(this.hooks, 'resumed', () => ({ at }))
    trace(this.hooks, 'paused', () => ({ at, by, why }))
  }

  async #open(running: Running): Promise<Engine> {
    const { fetcher, pages, report } = this.#run.settings
    await this.#during('fetcher', () => Promise.all([fetcher.load(), pages.load(), report()]))
    const flow = (this.#flow = new running.SeedFlow(this.#run))
    const limit = this.#limit()
    const first = this.#during('seeds', () => flow.first()).finally(() => limit?.[Symbol.dispose]())
    if (this.#stopping) flow.stop() // Before there was anything to read.
    const seeds = await first
    const info = (this.#info = await this.#openStore())
    this.#heartbeat = running.beats(this.#run, () => (this.#isCrawling ? this.#engine : undefined))
    using _limit = this.#limit()
    const opened = await running.openRun(this.#run, { info, seeds, flow })
    const engine = (this.#engine = new running.Engine(this.#run, opened))
    flow.begin(opened)
    if (this.#stopping) engine.stop(this.#stopping)
    return engine
  }

  /** The store may know the time better than this machine: what is counted from the start moves with it. */
  async #openStore(): Promise<CrawlInfo> {
    const { spider, frontier, clock, hostKeying } = this.#run.settings
    using _limit = this.#limit()
    const info = await this.#run.calls.make('open', () => frontier.open({ name: spider.name, hostKeying }, clock.now()))
    adoptStoreTime(clock, info, frontier.sharing?.tenure)
    if (info.setBackMs !== undefined)
      this.#run.tally.problem(
        `the clock is ${formatDuration(info.setBackMs)} behind the last run, so it was ahead: all waits were moved back by as much`,
      )
    this.#startedAt += info.aheadMs ?? 0
    return info
  }

  /** What has opened is closed. A store that could not be used until a stop was requested is no failure; everything else is thrown. */
  async #notBegun(running: Running, error: unknown): Promise<CrawlReport> {
    const cause = error instanceof AvocetError && error.code === 'AVO_PLUGIN_OPEN' ? error.cause : error
    const end = isPassing(cause) ? this.#stopping : undefined
    if (end) this.#run.tally.problem(`the crawl had not begun: ${messageOf(error)}`)
    else this.#fail(error)
    await this.#giveBack()
    await this.#finishSinks()
    const report = await this.#during('closing', () => this.#close(running, end ?? { ended: 'failed', why: messageOf(error) }))
    if (!end) throw error
    return report
  }

  #limit(): Disposable | undefined {
    const { clock, maxTimeMs } = this.#run.settings
    if (maxTimeMs === Infinity) return undefined
    return clock.at(this.#startedAt + maxTimeMs, () => this.#drain({ ended: 'limit', why: 'the time is up' }))
  }

  /** Begins nothing more; what is in flight may end, within `drainMs`. */
  #drain(end: End): void {
    this.#stopping ??= end
    this.#flow?.stop()
    // Nothing is in flight yet, or any more, that would be worth waiting for the store.
    if (this.#phase === 'opening' || this.#phase === 'closed') this.#run.calls.giveUp()
    if (this.#phase === 'opening') this.#engine?.stop(end) // It may be made, and not have begun.
    if (this.#phase !== 'running' || this.#running === undefined) return
    this.#phase = 'draining'
    const { clock, drainMs } = this.#run.settings
    this.#draining = new this.#running.Drain(clock, drainMs, {
      takeBack: () => this.#engine?.stop(end, true),
      letGo: () => this.#letGo(),
    })
    this.#engine?.stop(end)
  }

  /** The crawl cannot continue: what was committed is whole, the rest is waiting in the store. */
  #fail(thrown: unknown): void {
    const error = this.#run.settings.codec.current.error(thrown)
    this.#error ??= error instanceof AvocetError ? error : new AvocetError('AVO_INTERNAL', messageOf(error), { cause: error })
    this.#stopping = { ended: 'failed', why: this.#error.message }
    this.#drain(this.#stopping)
    this.#letGo(this.#stopping)
  }

  /** Waits for nothing any more: not for hosts, and not for a store that cannot be used. */
  #letGo(broken?: End): void {
    this.#run.calls.giveUp()
    this.#engine?.abort(broken)
  }

  /** Gives all hosts back, and waits for the store no longer than a stop does. */
  async #giveBack(): Promise<void> {
    const { clock, drainMs } = this.#run.settings
    this.#phase = 'closed'
    this.#run.pause.close()
    this.#run.calls.giveUp(clock.now() + drainMs)
    this.#flow?.stop()
    await this.#flow?.settled()
    // All outcomes are committed; what a locked store does not take back is free once this process is gone.
    const closing = this.#engine?.close(this.#error === undefined)
    await closing?.catch((error: unknown) => (isLocked(error) ? this.#run.tally.problem(messageOf(error)) : this.#fail(error)))
  }

  /** What sinks lack is delivered for as long as a stop waits; the next run continues. */
  async #finishSinks(end?: End): Promise<void> {
    const { clock, drainMs } = this.#run.settings
    const isDone = this.#error === undefined && (end?.ended === 'done' || end?.ended === 'given-up')
    const how = { interrupted: this.#interrupted, isDone, isOrdered: this.#run.settings.orders.loaded?.areToStop ?? false }
    await this.#run.sinks.finish({ until: clock.now() + drainMs, ...how })
  }

  #close(running: Running, end: End): Promise<CrawlReport> {
    const { ended, why } = (this.#error && this.#stopping) ?? end
    return running.closeRun(this.#run, {
      ended,
      why,
      error: this.#error,
      resumed: this.#info?.resumed ?? false,
      startedAt: this.#startedAt,
      totals: this.#engine ? this.#run.tally.totals : (this.#info ?? this.#run.tally.totals),
      opened: this.#info !== undefined,
      seeds: this.#flow?.progress,
    })
  }

  /** Virtual time stands still while core itself awaits something other than the store. */
  async #during<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> {
    using _hold = this.#run.calls.hold(name)
    return await work()
  }
}
