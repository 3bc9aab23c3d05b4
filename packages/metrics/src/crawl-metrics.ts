// The metrics of the crawl in one process, by what it has counted.
import type { CrawlReport } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'
import type { Counted } from './laws/counted.ts'
import { CrawlBook, type LiveFigures, type MeasuredCrawl, type ShownStatus } from './laws/crawl-book.ts'

/**
 * The metrics of one run.
 *
 * @example
 * ```ts
 * const run = crawl({ spider, policies: polite(), frontier: memoryFrontier() })
 * const metrics = new CrawlMetrics()
 * metrics.add({ counts: { page: 3 }, hosts: [{ hostKey: 'shop.example', requests: 3, refusals: 0, failures: 0 }] })
 * metrics.shown(run.status())
 * ```
 */
export class CrawlMetrics {
  readonly #book = new CrawlBook()
  #live: LiveFigures | undefined
  #report: CrawlReport | undefined

  /** The process has counted this since it told last. */
  add(counted: Counted): void {
    this.#book.add(counted)
  }

  /** What the process is now. */
  saw(live: LiveFigures): void {
    this.#live = live
  }

  /** The run is over, and its report is what counts. */
  finish(report: CrawlReport): void {
    this.#report = report
  }

  /** All of it, with `status` for what the status says. `read`: how many hosts are what, as the store was read last (`StoredReport.conditions`). */
  shown({ hosts: _hosts, liveHosts: _liveHosts, ...status }: CrawlStatus, read?: CrawlReport['conditions']): MeasuredCrawl {
    const conditions = this.#report?.conditions ?? read
    return {
      ...(conditions && { conditions }),
      status: this.#report === undefined ? this.#running(status) : ended(status, this.#report),
      book: this.#book,
      ...(this.#live && { live: this.#live }),
    }
  }

  #running(status: ShownStatus): ShownStatus {
    const { run, known, settled, waiting } = status
    // What is settled was known, also where another command has added it (`CrawlWatcher` shows it so, too).
    const totals = { known: Math.max(known, settled), waiting: Math.max(0, waiting) }
    return { ...status, ...totals, run: { ...run, pages: this.#book.of('page') } }
  }
}

/** As the report has it, which has read the store. Sinks are those of the status, by the names that people know them by. */
function ended(status: ShownStatus, { run, counts }: CrawlReport): ShownStatus {
  const { known, waiting, done, moved, failed, items } = counts
  return { ...status, phase: 'closed', run, known, waiting, settled: done + moved + failed, items }
}
