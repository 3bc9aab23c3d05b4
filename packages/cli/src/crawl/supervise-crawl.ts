// Runs one crawl under supervision: shows it, exports its items, listens to signals, and leaves the store closed whatever happens.
import { crawl, type AvocetError, type Crawl, type RunnableConfig, type CrawlReport } from '@avocet/core'
import type { TraceEvent } from '@avocet/core/plugin'
import type { CrawlInfo, Frontier } from '@avocet/core/store'
import type { EndSignal } from '../exit-code.ts'
import { ExportLoop } from '../export/export-loop.ts'
import { patientSource, type ItemExport } from '../export/item-export.ts'
import { treatmentText } from '../load/policies.ts'
import { forgiveRejections } from '../parse/user-errors.ts'
import type { Place } from '../place.ts'
import { keepFailedPages } from '../store/failed-pages.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatDuration, formatMoment } from '../text/quantity.ts'
import { CrawlWatcher } from '../view/crawl-watcher.ts'
import { LiveView } from '../view/live-view.ts'
import type { LogLevel } from '../options/crawl-options.ts'
import { onEndSignals } from './end-signals.ts'
import { streamEvents } from './event-stream.ts'
import { isSaid, tellRequests } from './log-level.ts'
import { Pauses } from './pauses.ts'

const DEFAULT_DRAIN_MS = 30_000
/** Longer than nearly every page takes to answer, and not longer than somebody who wants to leave waits without a doubt. */
const SILENT_MS = 2_000

/** What is to be run. */
interface Supervision {
  readonly config: RunnableConfig
  /** The one of `config`. Closed at the end. */
  readonly frontier: Frontier
  readonly exports: readonly ItemExport[]
  readonly events: boolean
  /** Where pages that handlers fail on are kept: beside the store. Absent where it has no file. */
  readonly failedPages?: { readonly path: string; readonly spiderPath: string | undefined }
  /** Default: `info`. */
  readonly logLevel?: LogLevel
  /** Whether the store outlives the process. */
  readonly resumable: boolean
  /** Said once the plugins have opened, in place of how hosts are treated. */
  readonly opening?: string
  /** Said behind that. */
  readonly remarks?: () => readonly string[]
  readonly place: Place
}

/** How it ended. */
export interface Supervised {
  readonly report: CrawlReport
  /** The signal that asked it to stop. */
  readonly signal?: EndSignal
  /** Why an output could not be written to the end. */
  readonly outputError?: AvocetError
}

/**
 * Runs the crawl to its end.
 *
 * @throws what keeps a crawl from beginning.
 */
export async function superviseCrawl(supervision: Supervision): Promise<Supervised> {
  const { config, frontier, exports, events, logLevel = 'info', place } = supervision
  const run = crawl(config)
  const view = new LiveView(place)
  const told = teller(view, supervision)
  const watcher = new CrawlWatcher({ crawl: run, reader: frontier.reader, config })
  const asked: Asked = { insisted: false }
  const outputFailed = endFor(run, asked)
  const loop = new ExportLoop(exports, place.clock, outputFailed)
  const { secretParameters = [] } = config
  if (supervision.failedPages !== undefined)
    keepFailedPages({ crawl: run, frontier, secretParameters, ...supervision.failedPages })
  const pauses = new Pauses(run)
  if (events) streamEvents({ crawl: run, pauses, stream: place.stdout, failed: outputFailed })
  if (isSaid('debug', logLevel)) tellRequests(run, told('debug'))
  tellStoreTrouble(run, told('warn'))
  run.hooks.onProblem.tap('view', ({ message, now }) =>
    told('warn')(`${formatMoment(now)} problem: ${printable(message.replaceAll(`${place.folder}/`, ''))}`),
  )
  run.hooks.open.tapPromise('export', () => loop.start(patientSource(frontier, run)))
  run.hooks.open.tapPromise('view', async ({ info }) => {
    if (info.resumed) told('info')(resuming(config.spider.name, info))
    const missed = await watcher.open()
    if (missed !== undefined) told('warn')(printable(missed))
    const pause = (): void => pauses.toggle('key', 'p was pressed; p goes on')
    if (isSaid('info', logLevel)) view.start((room, wishes) => watcher.look(room, wishes), { pause })
  })
  // After the plugins: a crawl that cannot begin has no policies to speak of.
  run.hooks.open.tap({ name: 'policies', stage: Infinity }, () => {
    told('info')(supervision.opening ?? `policies: ${treatmentText(config)}`)
    for (const remark of supervision.remarks?.() ?? []) told('info')(printable(remark))
  })
  using _signals = listen(run, told('warn'), asked, supervision)
  using _rejections = forgiveRejections(sayOnce(told('warn')), 'inside the handler or plugin that made it')
  let failed = true
  try {
    const report = await run.run()
    failed = report.error !== undefined
    // Who insists wants to leave: what is committed and not yet exported is exported by the next run.
    if (!asked.insisted) await loop.finish()
    return { report, ...(asked.signal && { signal: asked.signal }), ...(asked.outputError && { outputError: asked.outputError }) }
  } catch (error) {
    // Core knows only that a hook of ours threw; the output knows why.
    throw asked.outputError ?? error
  } finally {
    await loop.stop()
    view.stop()
    // A store that failed may fail once more as it is closed: what it said first, and the report, must not be lost for that.
    await frontier.close().catch((error: unknown) => {
      if (!failed) throw error
    })
  }
}

/** What says lines of a level: nothing, where the crawl is to say less. */
function teller(view: LiveView, { logLevel = 'info' }: Supervision): (of: LogLevel) => (line: string) => void {
  return (of) => (line) => {
    if (isSaid(of, logLevel)) view.say(line)
  }
}

/** What asked for an end before the end. */
interface Asked {
  signal?: EndSignal
  insisted: boolean
  outputError?: AvocetError
}

/** Ends the crawl for an output that cannot be written. */
function endFor(run: Crawl, asked: Asked): (error: AvocetError) => void {
  return (error) => {
    // Who leaves while an output waits for the store at the opening gets what they asked for: nothing was to be written yet.
    if (asked.signal !== undefined && run.status().phase === 'opening' && error.code.startsWith('AVO_FRONTIER_')) return
    asked.outputError ??= error
    // A reader that has gone waits for nothing more.
    if (error.code === 'AVO_OUTPUT_CLOSED') run.abort()
    else run.stop()
  }
}

function listen(run: Crawl, say: (line: string) => void, asked: Asked, supervision: Supervision): Disposable {
  const first = (signal: EndSignal): void => {
    asked.signal = signal
    const isBegun = run.status().phase !== 'opening'
    say(isBegun ? stopping(signal, supervision) : `${signal}: the crawl had not begun`)
    run.stop({ silentMs: SILENT_MS })
  }
  const second = (): void => {
    asked.insisted = true
    run.abort()
  }
  return onEndSignals(supervision.place.clock, first, second)
}

function stopping(signal: EndSignal, { config, resumable }: Supervision): string {
  const drainMs = config.drainMs ?? DEFAULT_DRAIN_MS
  const silent = drainMs > SILENT_MS ? `, ${SILENT_MS / 1_000} s where the server sends nothing` : ''
  const most = Number.isFinite(drainMs) ? `, at most ${formatDuration(drainMs)}` : ''
  const goOn = resumable ? '. Run the same command again to resume' : ''
  return `${signal}: waiting for requests in flight${most}${silent}; press again to stop now${goOn}`
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

function resuming(name: string, { settled, waiting }: CrawlInfo): string {
  return `resuming ${printable(name)}: ${formatCount(settled)} settled, ${formatCount(waiting)} waiting`
}

/** Says when the store is waited for, and when it can be used again. */
function tellStoreTrouble({ hooks }: Crawl, say: (line: string) => void): void {
  let since: number | undefined
  hooks.onTrace.tap('store', (event: TraceEvent) => {
    if (event.kind === 'paused' && event.by === 'store') {
      since = event.at
      say(`paused: ${printable(event.why)}`)
    } else if ((event.kind === 'paused' || event.kind === 'resumed') && since !== undefined) {
      say(`the store can be used again after ${formatDuration(event.at - since)}: going on`)
      since = undefined
    }
  })
}
