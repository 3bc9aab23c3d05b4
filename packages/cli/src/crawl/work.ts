// One of the processes of a crawl: runs its part, reports to its supervisor, and follows its orders.
import type { AvocetError, Crawl, CrawlReport } from '@avocet/core'
import { DEFAULTS, type Clock } from '@avocet/core/store'
import type { ProcessMetrics } from '@avocet/metrics'
import { isSaid, type CrawlLog } from '@avocet/project/log'
import { forgiveRejections, type Place } from '@avocet/project/place'
import { plannedCrawl, type PlannedCrawl } from '@avocet/project/plan'
import { RunOutputs } from '../export/run-outputs.ts'
import { partOf, type FromWorker, type WorkerPart } from '../processes/process-messages.ts'
import type { SupervisorLink } from '../processes/supervisor-link.ts'
import { outputPlaceOf, wishOf } from './crawl-places.ts'
import { crawlStore } from './crawl-store.ts'
import { logHosts, logOpening } from './log-events.ts'
import { closeAfterRun, endForOutput } from './run-end.ts'
import { madeCrawl, supervisionOf, type Supervision } from './supervision-of.ts'
import { tellOpening, tellTroubles, type Teller } from './tell-crawl.ts'

/** What a process is given. */
interface Work {
  readonly part: WorkerPart
  readonly supervisor: SupervisorLink
  /** Its standard output is the supervisor's. */
  readonly place: Place
  readonly metrics?: ProcessMetrics
}

/** How it ended. */
type Ended = Extract<FromWorker, { readonly kind: 'ended' }>

/** Runs it to its end. Throws what keeps it from beginning. */
export async function work({ part, supervisor, place }: Work): Promise<Ended> {
  const { options } = part
  const planned = withinPart(await plannedCrawl(options, place), part, place.clock.now())
  const made = await crawlStore(planned.config.frontier, wishOf(options, planned, place))
  using metrics = await ownMetrics(planned, place)
  const store = { ...made, frontier: metrics?.timed(made.frontier) ?? made.frontier }
  const late = { opensLate: true, resumesStdout: !part.tells }
  const outputs = await RunOutputs.open(options.outputs, { ...outputPlaceOf(options, store.path, place), ...late })
  try {
    const supervision = await supervisionOf({ options, planned }, { store, outputs, place })
    return await supervised(supervision, { part, supervisor, place, ...(metrics && { metrics }) }, outputs)
  } finally {
    await outputs.close()
  }
}

/** What this process counts for its supervisor, which serves it. */
async function ownMetrics({ metrics, config }: PlannedCrawl, { clock }: Place): Promise<ProcessMetrics | undefined> {
  if (metrics === undefined) return undefined
  const { ProcessMetrics: Own } = await import('@avocet/metrics')
  return new Own(config.clock ?? clock)
}

/** Slots, memory, handlers and pages of all processes together are those of one, and their time is up at one moment. */
function withinPart(planned: PlannedCrawl, part: WorkerPart, now: number): PlannedCrawl {
  const { config } = planned
  const { maxHandlers = DEFAULTS.maxHandlers, bodyBudgetBytes = DEFAULTS.bodyBudgetBytes, maxPages, fetcher } = config
  const share = {
    ...(part.endsAt !== undefined && { maxTimeMs: Math.max(1, part.endsAt - now) }),
    concurrency: partOf(config.concurrency ?? DEFAULTS.concurrency, part),
    ...(maxPages !== undefined && { maxPages: partOf(maxPages, part) }),
    maxHandlers: Math.max(1, partOf(maxHandlers, part)),
    ...(fetcher?.bodyBudget === undefined && { bodyBudgetBytes: Math.max(MIN_BODY_BUDGET_BYTES, partOf(bodyBudgetBytes, part)) }),
  }
  return { ...planned, config: { ...config, ...share } }
}

/** With less not even a small page would do. */
const MIN_BODY_BUDGET_BYTES = 2 ** 20

/** A run and what watches it. */
interface Parts {
  readonly run: Crawl
  readonly beats: Beats
  /** Why an output could not be written to the end. */
  readonly outputError: () => AvocetError | undefined
}

async function supervised({ frontier, ...supervision }: Supervision, given: Work, outputs: RunOutputs): Promise<Ended> {
  const { supervisor } = given
  const { run, beats, outputError } = tapped({ frontier, ...supervision }, given, outputs)
  const told = tellerOf(given)
  using _rejections = forgiveRejections(given.place.events, told('warn'), 'inside the handler or plugin that made it')
  let report: CrawlReport | undefined
  try {
    await supervisor.mayOpen()
    report = await run.run()
    const { code, message } = outputError() ?? {}
    return {
      kind: 'ended',
      report,
      ...(code !== undefined && message !== undefined && { outputError: { code, message } }),
    }
  } catch (error) {
    throw outputError() ?? error
  } finally {
    beats.stop()
    await closeAfterRun({ frontier, clock: given.place.clock, report })
  }
}

/** Makes the run, with all that listens to it. */
function tapped(supervision: Supervision, { part, supervisor, place, metrics }: Work, outputs: RunOutputs): Parts {
  const { config, logLevel: level = 'info' } = supervision
  const run = madeCrawl(config, outputs, place)
  let outputError: AvocetError | undefined
  outputs.onFailed((error) => {
    outputError ??= error
    supervisor.send({ kind: 'output-failed', error: { code: error.code, message: error.message } })
    endForOutput(error, run)
  })
  const told = tellerOf({ part, supervisor, place })
  const sinkName = (name: string): string => outputs.nameOf(name)
  tellTroubles(run, place.folder, { level, told, sinkName })
  if (part.tells) tellOpening(supervision, { crawl: run, told })
  if (part.options.log !== undefined) logIn({ write: (entry) => supervisor.send({ kind: 'logged', entry }) }, run, part.tells)
  metrics?.watch(run)
  const beats = tellBeats({ run, clock: place.clock, ...(metrics && { metrics }), sinkName, send: supervisor.send })
  supervisor.obey({ run, drainMs: config.drainMs ?? DEFAULTS.drainMs })
  return { run, beats, outputError: () => outputError }
}

/** The log is the supervisor's. */
function logIn(log: Pick<CrawlLog, 'write'>, run: Crawl, tells: boolean): void {
  if (tells) logOpening(run, log)
  logHosts(run, log)
}

/** Lines for people are the supervisor's to say. */
function tellerOf({ part, supervisor }: Work): Teller {
  const { logLevel = 'info' } = part.options
  return (of) => {
    if (!isSaid(of, logLevel)) return () => undefined
    return (line, fields = {}) => supervisor.send({ kind: 'said', line, level: of, fields })
  }
}

// What a process tells the supervisor of its crawl, four times a second: its status without hosts, and what it has counted for metrics.

const BEAT_MS = 250

/** Beats. */
const LIVE_EVERY = 4

/** What is told of. */
interface Told {
  readonly run: Pick<Crawl, 'hooks' | 'status'>
  readonly clock: Clock
  readonly metrics?: Pick<ProcessMetrics, 'counted' | 'live'>
  /** A sink as a person knows it. */
  sinkName(name: string): string
  send(message: FromWorker): void
}

/** The beats, until they are stopped. */
interface Beats {
  stop(): void
}

/** Tells from the opening on. */
function tellBeats({ run, clock, metrics, sinkName, send }: Told): Beats {
  let opened: FromWorker | undefined
  let timer: Disposable | undefined
  let beats = 0
  const beat = (): void => {
    const { sinks, ...status } = run.status()
    // What is known in all is known once it is open.
    if (status.phase === 'opening') return
    if (opened !== undefined) send(opened)
    opened = undefined
    const named = sinks?.map((sink) => ({ ...sink, name: sinkName(sink.name) }))
    // All counts are those of one moment. How the process is costs more, and is told once a second.
    const counted = metrics?.counted()
    const live = beats++ % LIVE_EVERY === 0 ? metrics?.live() : undefined
    send({
      kind: 'beat',
      status: { ...status, hosts: [], ...(named && { sinks: named }) },
      ...(counted && { metrics: { counted, ...(live && { live }) } }),
    })
  }
  const tick = (): void => {
    beat()
    // Others wait until it has opened.
    timer = clock.at(clock.now() + (opened === undefined ? BEAT_MS : BEAT_MS / 10), tick)
  }
  run.hooks.open.tap({ name: 'supervisor', stage: Infinity }, ({ info }) => {
    // Said once the run is in the store: the processes that open it then join that run.
    opened = { kind: 'opened', resumed: info.resumed }
    tick()
  })
  // Before the first request at the latest: its handler may hang.
  run.hooks.beforeRequest.tap('supervisor', () => {
    if (opened !== undefined) beat()
  })
  return {
    stop() {
      timer?.[Symbol.dispose]()
      if (opened !== undefined) send(opened)
      // One that could not begin has nothing to tell.
      if (beats === 0) return
      beats = 0
      beat()
    },
  }
}
