// The metrics of a crawl of several processes, which their supervisor serves: each tells what it counted, and is told which hosts have a name.
import type { CrawlReport } from '@avocet/core'
import type { CrawlMetrics, MetricsServer } from '@avocet/metrics'
import type { Scene } from '../view/scene.ts'
import type { FromWorker, ToWorker } from './process-messages.ts'

/** What they are made of. */
interface Parts {
  readonly server: Pick<MetricsServer, 'show'>
  readonly crawl: CrawlMetrics
  /** All processes as one; undefined before one has shown something. */
  readonly look: () => Scene | undefined
  /** To all, or to one. */
  send(message: ToWorker, number?: number): void
}

/** Of one run. */
export class FellowMetrics {
  readonly #parts: Parts
  #named = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#show()
  }

  /** A process has said something. */
  heard(number: number, message: FromWorker): void {
    const { crawl } = this.#parts
    if (message.kind === 'opened') this.#tellNames(number)
    else if (message.kind === 'ended') crawl.died(number)
    else if (message.kind === 'beat' && message.metrics !== undefined) {
      const { counted, live } = message.metrics
      crawl.add(number, counted)
      if (live !== undefined) crawl.saw(number, live)
      if (crawl.names.length > this.#named) this.#tellNames()
      this.#named = crawl.names.length
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

  #tellNames(number?: number): void {
    this.#parts.send({ kind: 'name-hosts', hostKeys: this.#parts.crawl.names }, number)
  }
}
