// The metrics of a crawl of several processes, which their supervisor serves: each tells what it counted.
import type { CrawlReport } from '@avocet/core'
import type { CrawlMetrics, MetricsServer } from '@avocet/metrics'
import type { Scene } from '../view/scene.ts'
import type { FromWorker } from './process-messages.ts'

/** What they are made of. */
interface Parts {
  readonly server: Pick<MetricsServer, 'show'>
  readonly crawl: CrawlMetrics
  /** All processes as one; undefined before one has shown something. */
  readonly look: () => Scene | undefined
}

/** Of one run. */
export class FellowMetrics {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    this.#show()
  }

  /** A process has said something. */
  heard(number: number, message: FromWorker): void {
    const { crawl } = this.#parts
    if (message.kind === 'ended') crawl.died(number)
    else if (message.kind === 'beat' && message.metrics !== undefined) {
      const { counted, live } = message.metrics
      crawl.add(number, counted)
      if (live !== undefined) crawl.saw(number, live)
    }
  }

  /** A process has died. */
  died(number: number): void {
    this.#parts.crawl.died(number)
  }

  /** All have ended, with this report: what was shown a moment ago is outdated. */
  finish(report: CrawlReport): void {
    this.#parts.crawl.finish(report)
    this.#show()
  }

  #show(): void {
    const { server, crawl, look } = this.#parts
    server.show(() => {
      const scene = look()
      return scene && crawl.shown(scene.glance.status, scene.judged?.conditions)
    })
  }
}
