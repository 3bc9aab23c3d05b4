// One of the processes of a crawl: an ordinary crawl of its part, which its supervisor shows and ends.
import type { Crawl } from '@avocet/core'
import { DEFAULTS, type Clock } from '@avocet/core/store'
import { CrawlLog, isSaid, type LogEntry } from '@avocet/project/log'
import type { Place } from '@avocet/project/place'
import { plannedCrawl, type PlannedCrawl } from '@avocet/project/plan'
import { RunOutputs } from '../export/run-outputs.ts'
import { partOf, sentError, type FromWorker, type WorkerPart } from '../processes/process-messages.ts'
import type { SupervisorLink } from '../processes/supervisor-link.ts'
import { outputPlaceOf, wishOf } from './crawl-places.ts'
import { metricsOf } from './crawl.ts'
import { crawlStore } from './crawl-store.ts'
import { superviseCrawl, type WorkerSupervisor } from './supervise-crawl.ts'
import { supervisionOf } from './supervision-of.ts'

/** What a process is given. */
interface Work {
  readonly part: WorkerPart
  readonly supervisor: SupervisorLink
  readonly place: Place
}

/** How it ended. */
type Ended = Extract<FromWorker, { readonly kind: 'ended' }>

/** Runs it to its end. Throws what keeps it from beginning. */
export async function work({ part, supervisor, place }: Work): Promise<Ended> {
  const { options } = part
  const planned = withinPart(await plannedCrawl(options, place), part, place.clock.now())
  const metrics = await metricsOf(planned, part, place)
  using _open = { [Symbol.dispose]: () => metrics?.close() }
  const store = await crawlStore(planned.config.frontier, wishOf(options, planned, place))
  const late = { opensLate: true, resumesStdout: !part.tells }
  const outputs = await RunOutputs.open(options.outputs, { ...outputPlaceOf(options, store.path, place), ...late })
  try {
    const within = { ...place, log: new SentLog(place, supervisor) }
    const supervision = await supervisionOf({ options, planned, ...(metrics && { metrics }) }, { store, outputs, place: within })
    await supervisor.mayOpen()
    const { report, outputError } = await superviseCrawl(supervision, watching({ part, supervisor, place }, planned))
    return { kind: 'ended', report, ...(outputError && { outputError: sentError(outputError) }) }
  } finally {
    await outputs.close()
  }
}

/** Slots, memory, handlers and pages of all processes together are those of one, and their time is up at one moment. */
function withinPart(planned: PlannedCrawl, part: WorkerPart, now: number): PlannedCrawl {
  const { config } = planned
  const { maxHandlers = DEFAULTS.maxHandlers, bodyBudgetBytes = DEFAULTS.bodyBudgetBytes, maxPages, fetcher } = config
  const share = {
    ...(part.endsAt !== undefined && { maxTimeMs: Math.max(1, part.endsAt - now) }),
    offersSeeds: part.number === 1,
    concurrency: partOf(config.concurrency ?? DEFAULTS.concurrency, part),
    ...(maxPages !== undefined && { maxPages: partOf(maxPages, part) }),
    maxHandlers: Math.max(1, partOf(maxHandlers, part)),
    ...(fetcher?.bodyBudget === undefined && { bodyBudgetBytes: Math.max(MIN_BODY_BUDGET_BYTES, partOf(bodyBudgetBytes, part)) }),
  }
  return { ...planned, config: { ...config, ...share } }
}

/** With less not even a small page would do. */
const MIN_BODY_BUDGET_BYTES = 2 ** 20

/** The log is the supervisor's. */
class SentLog extends CrawlLog {
  readonly #supervisor: SupervisorLink

  constructor({ clock, stderr }: Place, supervisor: SupervisorLink) {
    super({ level: 'debug', clock, stderr })
    this.#supervisor = supervisor
  }

  override write(entry: LogEntry): void {
    this.#supervisor.send({ kind: 'logged', entry })
  }
}

/** Lines for people are the supervisor's to say. */
function watching({ part, supervisor, place }: Work, { config }: PlannedCrawl): WorkerSupervisor {
  const { logLevel = 'info' } = part.options
  return {
    told(of) {
      if (!isSaid(of, logLevel)) return () => undefined
      return (line, fields = {}) => supervisor.send({ kind: 'said', line, level: of, fields })
    },
    tells: part.tells,
    watch(run) {
      supervisor.obey({ run, drainMs: config.drainMs ?? DEFAULTS.drainMs })
      return tellLife(run, place.clock, supervisor.send)
    },
  }
}

// What a process tells the supervisor of its crawl: that it has opened the store, and four times a second that it lives.

const BEAT_MS = 250

/** Tells from the opening on, until disposed. */
function tellLife(run: Crawl, clock: Clock, send: (message: FromWorker) => void): Disposable {
  let opened: FromWorker | undefined
  let timer: Disposable | undefined
  const beat = (): void => {
    const { phase, run: counts, seeds } = run.status()
    if (phase === 'opening') return
    if (opened !== undefined) send(opened)
    opened = undefined
    send({ kind: 'alive', run: counts, ...(seeds && { seeds }) })
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
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() }
}
