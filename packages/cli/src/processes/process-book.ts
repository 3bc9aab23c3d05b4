// Collects what the processes of a crawl report: the last scene of each, and how it ended.
import type { CrawlConfig, CrawlReport } from '@avocet/core'
import type { StoredReport } from '@avocet/core/tools'
import type { Scene } from '../view/scene.ts'
import type { ViewWishes } from '../view/view-wishes.ts'
import type { ShownTotals } from './common-totals.ts'
import { mergedReport } from './merged-report.ts'
import { MergedScene } from './merged-scene.ts'
import { ProcessCommits, type HadCounts } from './process-commits.ts'
import type { FromWorker, ProcessScene, SentError, TotalsAtOpen } from './process-messages.ts'

/** What bounds the crawl: what is left of it is worked out from that. */
type Bounds = Pick<CrawlConfig, 'patienceMs' | 'maxTimeMs' | 'maxPages'>

/** What there is before a crawl that resumes nothing. */
const NOTHING_HELD: HadCounts = { done: 0, items: 0, failed: 0, moved: 0 }

/** The book. */
export class ProcessBook {
  readonly #merged: MergedScene
  readonly #startedAt: number
  readonly #opened = new Map<number, TotalsAtOpen>()
  readonly #commits = new ProcessCommits()
  readonly #scenes = new Map<number, ProcessScene>()
  readonly #reports = new Map<number, CrawlReport>()
  #resumed: boolean | undefined
  #outputError: SentError | undefined

  /** `startedAt`: epoch ms. */
  constructor(bounds: Bounds, startedAt: number) {
    this.#merged = new MergedScene(bounds, startedAt)
    this.#startedAt = startedAt
  }

  /** The first error of an output. */
  get outputError(): SentError | undefined {
    return this.#outputError
  }

  /** Whether one has ended because its crawl failed. */
  get hasFailed(): boolean {
    return [...this.#reports.values()].some(({ error }) => error !== undefined)
  }

  /** Whether none that has ended could read the store: another look would wait as long as each of theirs did. */
  get foundNoStore(): boolean {
    return this.#reports.size > 0 && [...this.#reports.values()].every(({ withoutStore }) => withoutStore === true)
  }

  /** Notes what a process has said. */
  heard(number: number, message: FromWorker): void {
    if (message.kind === 'opened') {
      this.#opened.set(number, message.totals)
      this.#resumed ??= message.resumed
    } else if (message.kind === 'scene') {
      this.#shown(number, message.scene)
    } else if (message.kind === 'committing' || message.kind === 'committed') this.#commits.heard(number, message)
    else if (message.kind === 'output-failed') this.#outputError ??= message.error
    else if (message.kind === 'ended') {
      this.#outputError ??= message.outputError
      const last = this.#scenes.get(number)
      if (last !== undefined) this.#merged.finished(last)
      this.#reports.delete(number)
      this.#reports.set(number, message.report)
    }
  }

  #shown(number: number, scene: Scene): void {
    const opened = this.#opened.get(number)
    if (opened === undefined) return
    const shown = { scene, opened }
    if (!this.#scenes.has(number)) this.#merged.met(shown)
    this.#scenes.set(number, shown)
  }

  /** A process has died: its counts are kept. */
  died(number: number): void {
    const last = this.#scenes.get(number)
    this.#merged.gone(last, this.#commits.died(number))
    this.#scenes.delete(number)
    this.#opened.delete(number)
  }

  /** All of them as one; undefined before one has shown something. */
  look(room: number, wishes: ViewWishes): Scene | undefined {
    return this.#merged.look([...this.#scenes.values()], { room, wishes })
  }

  /** The report of all; undefined where none has one. */
  report(stored: StoredReport | undefined): CrawlReport | undefined {
    if (this.#reports.size === 0) return undefined
    const whole = { startedAt: this.#startedAt, resumed: this.#resumed ?? false, past: this.#merged.past }
    const counted = this.#counted()
    const parts = { ...whole, ...(stored && { stored }), ...(counted && { counted }) }
    const report = mergedReport([...this.#reports.values()], parts)
    const before = this.#resumed === true ? this.#merged.before : NOTHING_HELD
    if (stored === undefined || before === undefined) return report
    return { ...report, run: this.#commits.completed(report.run, before, stored.counts) }
  }

  #counted(): Omit<ShownTotals, 'settled'> | undefined {
    if (this.#scenes.size === 0) return undefined
    const { settled: _settled, ...counted } = this.#merged.totals([...this.#scenes.values()])
    return counted
  }

  /** By handler, the last page that it yielded nothing for. */
  get silentPages(): ReadonlyMap<string, string> {
    const silent = [...this.#reports.values()].flatMap(({ silentHandlers }) => silentHandlers)
    return new Map(silent.flatMap(({ handler, url }) => (url === undefined ? [] : [[handler, url] as const])))
  }
}
