// A crawl whose store failed over to another server ends its run, for what it knows in RAM may be lost there, and begins anew by itself.
//
// The new run is the one that the same command would begin: it plans, opens and reads everything again, and waits in the opening of the store until nobody can
// hold a host any more, also where the new server has nothing of the crawl. What was written of an output is then cut off where the store does not know it
// any more. Limits of pages and time hold for all of them together: where no page is left, the crawl ends with its limit, and what is to be cut off or written
// anew is left to the next run. Seeds that came on standard input cannot be read again: such a crawl ends.
import type { CrawlReport } from '@avocet/core'
import type { PlannedCrawl } from '../load/plan-crawl.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import type { Supervised } from './supervise-crawl.ts'

const FAILED_OVER = 'AVO_FRONTIER_FAILED_OVER'
/** Without a page between them. Each takes half a minute at least: a server that is replaced all the time is for a person to look at. */
const MOST_IN_VAIN = 20

/** Said as it begins anew. */
export const FAILED_OVER_LINE =
  'the store failed over to another server: this crawl begins anew there in about 30 s, once no process can hold a host any more; pages that the new server lacks are crawled again'

/** Failovers of one command. */
export class Failovers {
  #inVain = 0
  #isAnew = false
  /** What was typed, and when the first run began, epoch ms. */
  #first: { readonly limits: Limits; readonly startedAt: number } | undefined
  #pages = 0
  #isSpent = false

  /** This run begins anew: the store is known, and may be away for as long as the crawl waits for it. */
  get isAnew(): boolean {
    return this.#isAnew
  }

  /** What to go on with after `ended`; undefined: nothing. */
  after(ended: Supervised | { readonly error: unknown }, planned: PlannedCrawl, options: CrawlOptions): CrawlOptions | undefined {
    const error = 'report' in ended ? ended.report.error : ended.error
    if (!hasFailedOver(error) || ('signal' in ended && ended.signal !== undefined)) return undefined
    if (options.seedsPath === '-') return undefined
    const report = 'report' in ended ? ended.report : undefined
    this.#inVain = report !== undefined && report.run.pages > 0 ? 0 : this.#inVain + 1
    if (this.#inVain > MOST_IN_VAIN) return undefined
    const rest = this.#restOf(planned, report)
    if (rest.maxPages === 0) {
      this.#isSpent = true
      return undefined
    }
    this.#isAnew = true
    const outputStarts = { ...options.failedOver?.outputStarts, ...('report' in ended && ended.outputStarts) }
    return {
      ...options,
      fresh: false,
      failedOver: { outputStarts },
      config: { ...options.config, ...rest },
    }
  }

  /** What is said of a run that is the last: one whose pages are all handled ends with that limit, whatever became of its store. */
  lastOf(ended: Supervised): Supervised {
    if (!this.#isSpent) return ended
    const { report: failed, outputError, ...others } = ended
    const { error: _failedOver, ...report } = failed
    // An output fails with the store that keeps its mark.
    const ofOutput = hasFailedOver(outputError) ? undefined : outputError
    const why = `maxPages (${this.#first?.limits.maxPages}) is reached, and the store failed over to another server`
    return { ...others, ...(ofOutput && { outputError: ofOutput }), report: { ...report, ended: 'limit', why } }
  }

  /** What is left of the limits. No page: `maxPages` is 0. */
  #restOf({ config: { maxPages, maxTimeMs } }: PlannedCrawl, report: CrawlReport | undefined): Limits {
    if (report === undefined) return {}
    const limits = { ...(maxPages !== undefined && { maxPages }), ...(maxTimeMs !== undefined && { maxTimeMs }) }
    this.#first ??= { limits, startedAt: report.startedAt }
    this.#pages += handledIn(report)
    const { limits: typed, startedAt } = this.#first
    return {
      ...(typed.maxPages !== undefined && { maxPages: Math.max(0, typed.maxPages - this.#pages) }),
      ...(typed.maxTimeMs !== undefined && { maxTimeMs: Math.max(1, typed.maxTimeMs - (report.endedAt - startedAt)) }),
    }
  }
}

type Limits = Pick<CrawlOptions['config'], 'maxPages' | 'maxTimeMs'>

/** Pages that handlers got, also those that they failed on as far as a report says: an error that was tried again is not among them. */
function handledIn({ run: { pages, spoiled } }: CrawlReport): number {
  return pages + spoiled
}

function hasFailedOver(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === FAILED_OVER
}
