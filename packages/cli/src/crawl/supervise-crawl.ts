// Runs one crawl under supervision: shows it, listens to signals, and leaves the store closed whatever happens.
import type { AvocetError, Crawl, CrawlReport } from '@avocet/core'
import { DEFAULTS } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { type Place, forgiveRejections } from '@avocet/project/place'
import type { EndSignal } from '../exit-code.ts'
import type { RunOutputs } from '../export/run-outputs.ts'
import { behindInWords } from '../text/sink-line.ts'
import { isHasty, RECALL_MS, stoppingLine } from '../text/orders-in-words.ts'
import { CrawlWatcher } from '../view/crawl-watcher.ts'
import { LiveView } from '../view/live-view.ts'
import { hostIndexOf } from '../store/host-index.ts'
import { filesTotals, type FilesTotals } from '../store/files-totals.ts'
import { closeAfterRun, endForOutput, onEndSignals } from './run-end.ts'
import type { PageOfRun } from './run-page.ts'
import { logHosts, logOpening, logProgress } from './log-events.ts'
import { madeCrawl, type Supervision } from './supervision-of.ts'
import { isUnseen } from './shown-in.ts'
import type { ShownRun } from './open-metrics.ts'
import { teller, tellOpening, tellTroubles, type Teller } from './tell-crawl.ts'
import { progressLine } from '../view/frame.ts'

/** How it ended. */
export interface Supervised {
  readonly report: CrawlReport & { readonly files?: FilesTotals }
  /** The signal that asked it to stop. */
  readonly signal?: EndSignal
  /** Why an output could not be written to the end. */
  readonly outputError?: AvocetError
}

/** Who shows and ends a crawl that is one process of several. */
export interface WorkerSupervisor {
  readonly told: Teller
  /** Whether it tells what is told once: what is resumed, how hosts are treated. */
  readonly tells: boolean
  /** Called before it begins. */
  watch(run: Crawl): Disposable
}

/**
 * Runs the crawl to its end. `watching`: its supervisor, in place of a live view and of signals.
 *
 * @throws what keeps a crawl from beginning.
 */
export async function superviseCrawl(supervision: Supervision, watching?: WorkerSupervisor): Promise<Supervised> {
  const { config, frontier, outputs, logLevel, place } = supervision
  using shown = await shownRun(supervision)
  const run = madeCrawl(shown?.timed(config, frontier) ?? config, outputs, place)
  const view = new LiveView(place)
  const told = watching?.told ?? teller(view, logLevel, place.log)
  const tells = watching?.tells ?? true
  const sinkName = (name: string): string => outputs?.nameOf(name) ?? name
  const index = hostIndexOf(frontier.reader, config.clock ?? place.clock)
  shown?.watch(run, sinkName, index)
  const watcher = new CrawlWatcher({ crawl: run, index, config, sinkName })
  const asked: Asked = {}
  endForOutputs(run, asked, outputs)
  tellTroubles(run, place.folder, { level: logLevel ?? 'info', told, sinkName })
  const show = (): void => (isUnseen(place) ? undefined : view.start((room) => watcher.look(room)))
  if (tells) tellOpening(supervision, { crawl: run, told, show })
  const page = await pageOf(supervision, { run, look: () => watcher.look(), say: (line) => view.say(line) })
  using _ends = watching?.watch(run) ?? listen({ run, asked }, told('warn'), supervision)
  using _logged = logRun(run, tells, place)
  using _service = tellService(run, watcher, place)
  using _rejections = forgiveRejections(place.events, sayOnce(told('warn')), 'inside the handler or plugin that made it')
  let report: CrawlReport | undefined
  try {
    report = await run.run()
    shown?.finish(report)
    return {
      report: { ...report, ...(await savedFiles(supervision)) },
      ...(asked.signal && { signal: asked.signal }),
      ...(asked.outputError && { outputError: asked.outputError }),
    }
  } catch (error) {
    // Core knows only that a hook of ours threw; the output knows why.
    throw asked.outputError ?? error
  } finally {
    view.stop()
    await page?.[Symbol.asyncDispose]()
    await closeAfterRun({ frontier, clock: place.clock, report })
  }
}

/** Serves the page, where it was asked for; it ends with the crawl. What cannot be served is said before anything begins. */
async function pageOf(supervision: Supervision, source: PageOfRun): Promise<AsyncDisposable | undefined> {
  if (supervision.ui === undefined) return undefined
  const { openRunPage } = await import('./run-page.ts')
  return openRunPage({ ...supervision, ui: supervision.ui }, source)
}

/** Its metrics, where somebody wants them. */
async function shownRun({ metrics, config, place }: Supervision): Promise<ShownRun | undefined> {
  if (metrics === undefined) return undefined
  const { ShownRun: Shown } = await import('./open-metrics.ts')
  return new Shown(metrics, config.clock ?? place.clock)
}

/** All that a log has of a crawl in this process. */
function logRun(run: Crawl, tells: boolean, { log, clock }: Place): Disposable | undefined {
  if (log === undefined) return undefined
  if (tells) logOpening(run, log)
  logHosts(run, log)
  return logProgress(log, clock, () => run.status())
}

/** What the crawl saved, where it has to do with files. A store that fails has said so already. */
async function savedFiles({ config, frontier }: Supervision): Promise<{ readonly files?: FilesTotals }> {
  if (config.plugins?.every(({ name }) => name !== 'files') !== false) return {}
  const files = await filesTotals(frontier.reader).catch(() => undefined)
  return files === undefined ? {} : { files }
}

/** What asked for an end before the end. */
interface Asked {
  signal?: EndSignal
  outputError?: AvocetError
}

/** Ends the crawl for an output that cannot be written. */
function endForOutputs(run: Crawl, asked: Asked, outputs?: RunOutputs): void {
  outputs?.onFailed((error) => {
    // Ctrl-C while an output waits for the store to open is no error of the output: nothing was to be written yet.
    if (asked.signal !== undefined && run.status().phase === 'opening' && error.code.startsWith('AVO_FRONTIER_')) return
    asked.outputError ??= error
    endForOutput(error, run)
  })
}

/** What is asked to end. */
interface Ends {
  readonly run: Crawl
  readonly asked: Asked
}

function listen({ run, asked }: Ends, say: ReturnType<Teller>, supervision: Supervision): Disposable {
  const first = (signal: EndSignal): void => {
    asked.signal = signal
    supervision.place.service?.stopping()
    const isBegun = run.status().phase !== 'opening'
    say(isBegun ? stopping(signal, supervision, run.status()) : `${signal}: the crawl had not begun`, { event: 'stop' })
    run.stop({ interrupted: true, ...(isHasty(signal) && { recallMs: RECALL_MS }) })
  }
  const second = (): void => {
    // The second signal aborts: what is committed and not yet in the outputs is written by the next run.
    run.abort()
  }
  return onEndSignals(supervision.place, first, second)
}

function stopping(signal: EndSignal, { config, resumable, place }: Supervision, status: CrawlStatus): string {
  const { phase, sinks = [] } = status
  const behind = phase === 'closed' ? behindInWords(sinks, place.folder) : undefined
  const { drainMs = DEFAULTS.drainMs } = config
  return stoppingLine({ signal, drainMs, isResumable: resumable, ...(behind !== undefined && { behind }) })
}

/** Says each line once: a handler that awaits nothing may run a million times. */
function sayOnce(say: (line: string) => void): (line: string) => void {
  const said = new Set<string>()
  return (line) => {
    if (said.has(line) || said.size >= 100) return
    said.add(line)
    say(line)
  }
}

// Tells the service manager, where there is one, of a crawl in this process.

/** From its opening on: that it is ready, and how it is. Until disposed. */
function tellService(
  crawl: Crawl,
  watcher: Pick<CrawlWatcher, 'look'>,
  { service, clock }: Pick<Place, 'service' | 'clock'>,
): Disposable | undefined {
  if (service === undefined) return undefined
  const stalls = new StallWatch()
  // After the plugins: one of them may keep it from beginning.
  crawl.hooks.open.tap({ name: 'service', stage: Infinity }, () => service.ready())
  return service.watch({
    status: () => progressLine(watcher.look()),
    isWell: () => !stalls.isStalled(crawl.status(), clock.monotonic()),
  })
}

// Whether a crawl stands still although it could go on: what a watchdog is for, beside an event loop that hangs.
//
// Many crawls that do nothing are healthy: one that is paused, by its user, its store or its network; one whose hosts all wait for their next round, a delay
// or a Retry-After; one that waits for an answer, which has its own time limits. What is left is a host with something to do that nothing holds, while
// nothing is in flight and nothing is counted any more. That must not last, so ten minutes of it are a defect of ours, and a restart resumes.

/** How long it may last. */
const STALL_MS = 600_000

/** Looked at from time to time. */
export class StallWatch {
  #counts = ''
  #sinceMs = 0

  /** `monotonicMs`: of the machine. */
  isStalled(status: CrawlStatus, monotonicMs: number): boolean {
    const counts = JSON.stringify(status.run)
    if (counts === this.#counts && couldGoOn(status)) return monotonicMs - this.#sinceMs >= STALL_MS
    this.#counts = counts
    this.#sinceMs = monotonicMs
    return false
  }
}

function couldGoOn({ phase, inFlight, handlersRunning, hosts, now }: CrawlStatus): boolean {
  if (phase !== 'running' || inFlight > 0 || handlersRunning > 0) return false
  return hosts.some(({ waiting, hold }) => waiting > 0 && (hold === undefined || hold.until <= now))
}
