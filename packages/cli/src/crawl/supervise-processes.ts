// Supervises the processes of one crawl: shows what they tell and what the store has as one crawl, and passes signals and keys on to all of them.
import { AvocetError } from '@avocet/core'
import { DEFAULTS } from '@avocet/core/store'
import { isSaid } from '@avocet/project/log'
import type { Place } from '@avocet/project/place'
import { crawlNameOf } from '@avocet/project/store'
import { printable } from '@avocet/project/text'
import type { EndSignal } from '../exit-code.ts'
import { Crew } from '../processes/crew.ts'
import type { FromWorker, WorkerPart } from '../processes/process-messages.ts'
import { WholeCrawl } from '../processes/whole-crawl.ts'
import { storedParts, type StoredParts } from '../processes/whole-report.ts'
import { launching } from '../processes/worker-link.ts'
import { isHasty, RECALL_MS, stoppingLine } from '../text/orders-in-words.ts'
import { progressLine } from '../view/frame.ts'
import { LiveView } from '../view/live-view.ts'
import type { CrawlOfProcesses } from './crawl-places.ts'
import { onEndSignals, endForOutput } from './run-end.ts'
import { sameCommand } from './next-step.ts'
import { isUnseen, tellLink, UI_PASSWORD } from './shown-in.ts'
import { TotalsWatch } from './totals-watch.ts'
import type { Supervised } from './supervise-crawl.ts'
import { teller, type Teller } from './tell-crawl.ts'

/** What is supervised. */
interface Supervision extends CrawlOfProcesses {
  readonly store: { readonly path: string }
}

/** What a signal has ended before any process could report. */
type Killed = { readonly report?: undefined; readonly signal: EndSignal }

/** Runs it to its end. Throws what keeps the crawl from beginning. */
export function superviseProcesses(supervision: Supervision, place: Place): Promise<Supervised | Killed> {
  return new SupervisedProcesses(supervision, place).run()
}

class SupervisedProcesses {
  readonly #supervision: Supervision
  readonly #place: Place
  readonly #view: LiveView
  readonly #told: Teller
  readonly #totals: TotalsWatch
  readonly #whole: WholeCrawl
  readonly #crew: Crew
  readonly #once = new OnceTold()
  readonly #startedAt: number
  /** The signal that asked it to stop. */
  #signal: EndSignal | undefined
  #isShown = false

  constructor(supervision: Supervision, place: Place) {
    const { planned, options, count, store } = supervision
    const { spider } = planned.config
    this.#supervision = supervision
    this.#place = place
    this.#startedAt = place.clock.now()
    this.#view = new LiveView(place)
    this.#told = teller(this.#view, options.logLevel, place.log)
    this.#totals = new TotalsWatch(store.path, () => this.#crew.hasOpened, place.clock)
    this.#whole = new WholeCrawl({ config: planned.config, clock: place.clock, totals: () => this.#totals.last })
    const isTyped = options.seedsPath === '-' && Array.isArray(spider.seeds)
    this.#crew = new Crew({
      count,
      clock: place.clock,
      startProcess: launching({
        ...{ entry: new URL('worker-process', import.meta.url), words: place.words, folder: place.folder, env: place.env },
        ...(isTyped && { input: `${spider.seeds.join('\n')}\n` }),
      }),
      partFor: (number) => ({ kind: 'part', part: this.#partFor(number) }),
      opened: () => place.service?.ready(),
      heard: (number, message) => this.#heard(number, message),
      wrote: (number, line) => this.#common(number, printable(line)),
      died: (number) => this.#whole.died(number),
      tell: (line) => this.#warn(line),
    })
  }

  async run(): Promise<Supervised | Killed> {
    using _signals = this.#listen()
    await using _totals = this.#totals
    await using _page = await this.#openPage()
    using _service = this.#tellService()
    const error = await this.#crew.run().finally(() => this.#view.stop())
    const { outputError } = this.#whole
    const stored = await this.#stored()
    const report = this.#whole.report(stored)
    if (report === undefined) return this.#withoutReport(error)
    const ended = error && { ended: 'failed' as const, why: error.message, error: { code: error.code, message: error.message } }
    return {
      report: { ...report, ...ended, ...(stored?.files && { files: stored.files }) },
      ...(this.#signal !== undefined && { signal: this.#signal }),
      ...(outputError && { outputError: new AvocetError(outputError.code, outputError.message) }),
    }
  }

  #withoutReport(error: AvocetError | undefined): Killed {
    const signal = this.#signal
    const line = `every process died before it could report; to resume, ${sameCommand(this.#supervision.options.fresh)}`
    if (error !== undefined || signal === undefined) throw error ?? new AvocetError('AVO_PROCESS_LOST', line)
    this.#warn(line)
    return { signal }
  }

  /** The first signal stops the processes gracefully, the second aborts, the third kills: one that does not react to an abort is in a handler. */
  #listen(): Disposable {
    let isAborted = false
    const again = (): void => {
      if (isAborted) return this.#crew.kill()
      isAborted = true
      this.#crew.stop({ kind: 'abort' })
    }
    return onEndSignals(this.#place, (signal) => this.#stop(signal), again)
  }

  #stop(signal: EndSignal): void {
    const { drainMs = DEFAULTS.drainMs } = this.#supervision.planned.config
    this.#signal = signal
    this.#place.service?.stopping()
    this.#warn(this.#crew.hasOpened ? stoppingLine({ signal, drainMs }) : `${signal}: the crawl had not begun`, 'stop')
    this.#crew.stop({ kind: 'stop', ...(isHasty(signal) && { recallMs: RECALL_MS }) })
  }

  async #openPage(): Promise<AsyncDisposable | undefined> {
    const { options, planned, store } = this.#supervision
    if (options.ui === undefined) return undefined
    const [{ StoreShelf }, { linkTo, openPage }] = [await import('../ui/store-shelf.ts'), await import('../ui/crawl-page.ts')]
    // What the store says, which this process only reads, as avocet ui does.
    const stores = async (): Promise<readonly string[]> => (this.#crew.hasOpened ? [store.path] : [])
    const shelf = new StoreShelf({ ...this.#place, stores, config: planned.config })
    const page = await openPage(shelf, options.ui, { option: UI_PASSWORD, ...this.#place })
    const link = linkTo(page, crawlNameOf(store.path))
    tellLink({ link, wish: options.ui, say: (line) => this.#view.say(line) }, this.#place)
    return {
      async [Symbol.asyncDispose]() {
        await page.close()
        await shelf.close()
      },
    }
  }

  #tellService(): Disposable | undefined {
    const { service } = this.#place
    const status = (): string => {
      const scene = this.#whole.look()
      return scene === undefined ? 'opening the store' : progressLine(scene)
    }
    return service?.watch({ status, isWell: () => this.#crew.isWell(service.watchdogMs ?? Infinity) })
  }

  #partFor(number: number): WorkerPart {
    const { options, planned, count: of } = this.#supervision
    const { maxTimeMs = Infinity } = planned.config
    const tells = number === 1 && !this.#crew.hasOpened
    const { ui: _ui, ...asked } = options
    const own = { ...asked, fresh: false, json: false }
    const endsAt = this.#startedAt + maxTimeMs
    return { number, of, options: own, tells, ...(endsAt < Infinity && { endsAt }) }
  }

  #heard(number: number, message: FromWorker): void {
    this.#whole.heard(number, message)
    if (message.kind === 'said') {
      const { line, level, fields } = message
      // Requests alone are those of one process.
      if (level === 'debug' || this.#isNew(number, line)) this.#told(level)(line, { ...fields, process: number })
    } else if (message.kind === 'logged') this.#place.log?.write({ ...message.entry, process: number })
    else if (message.kind === 'alive') this.#seen()
    else if (message.kind === 'ended') this.#ended()
  }

  /** If the crawl of one process failed or was ordered to stop, or an output failed, it ends for all. */
  #ended(): void {
    const { outputError } = this.#whole
    const stop = (): void => this.#crew.stop({ kind: 'stop' })
    const abort = (): void => this.#crew.stop({ kind: 'abort' })
    if (outputError !== undefined) endForOutput(outputError, { stop, abort })
    else if (this.#whole.endsForAll) stop()
  }

  #seen(): void {
    const first = this.#isShown ? undefined : this.#whole.look()
    if (first === undefined) return
    this.#isShown = true
    if (isSaid('info', this.#supervision.options.logLevel ?? 'info') && !isUnseen(this.#place))
      this.#view.start(() => this.#whole.look() ?? first)
  }

  /** At any level: it wrote that to its standard error by itself. */
  #common(number: number, line: string): void {
    if (!this.#isNew(number, line)) return
    this.#place.log?.write({ level: 'warn', event: 'stderr', message: line, process: number })
    if (!isUnseen(this.#place)) this.#view.say(line)
  }

  #isNew(number: number, line: string): boolean {
    return this.#once.isNew(number, line, this.#place.clock.monotonic())
  }

  #warn(line: string, event = 'notice'): void {
    this.#told('warn')(printable(line), { event })
  }

  /** What is in the store when no process works on it any more. */
  async #stored(): Promise<StoredParts | undefined> {
    if (!this.#crew.hasOpened || this.#whole.foundNoStore) return undefined
    const { planned, store } = this.#supervision
    const hasFiles = planned.config.plugins.some(({ name }) => name === 'files')
    return storedParts(store.path, { hasFiles, now: this.#place.clock.now() })
  }
}

// Removes duplicates where several processes report the same thing: what one of them has just said is not told when another says it.

/** So long after one process the others may say the same. */
const SAME_MS = 10_000
/** Different lines that are remembered; the oldest is forgotten first. */
const MAX_LINES = 1_000

/** Parts in which processes that report the same thing differ: the time at the beginning, and durations. */
const VARYING = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC |\b\d+(?:[.,]\d+)? (?:ms|s|min|h)\b/g

/** Remembers what was told. */
export class OnceTold {
  readonly #lines = new Map<string, { readonly process: number; readonly at: number }>()

  /** Whether `line`, which `process` says at `at` (monotonic ms), is to be told. */
  isNew(process: number, line: string, at: number): boolean {
    const key = line.replaceAll(VARYING, '#')
    const last = this.#lines.get(key)
    if (last !== undefined && last.process !== process && at - last.at < SAME_MS) return false
    this.#lines.delete(key)
    this.#lines.set(key, { process, at })
    const [oldest = ''] = this.#lines.keys()
    if (this.#lines.size > MAX_LINES) this.#lines.delete(oldest)
    return true
  }
}
