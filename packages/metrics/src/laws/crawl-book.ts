// All that was counted of a crawl, by one process or by several: what one has added stays when it dies.
import type { Counted, CountKey } from './counted.ts'
import { HostBook } from './host-book.ts'

/** The book. */
export class CrawlBook {
  readonly #counts = new Map<string, number>()
  readonly #cpuSeconds = new Map<number, number>()
  /** Its hosts. */
  readonly hosts: HostBook = new HostBook()

  /** Adds what `process` has counted since the last time. Its number is a label of what it used. */
  add(counted: Counted, process: number): void {
    const { cpu = 0, ...counts } = counted.counts
    this.#cpuSeconds.set(process, (this.#cpuSeconds.get(process) ?? 0) + cpu)
    for (const [key, by] of Object.entries(counts)) this.#counts.set(key, (this.#counts.get(key) ?? 0) + (by ?? 0))
    this.hosts.add(counted)
  }

  /** So many. */
  readonly of = (key: CountKey): number => this.#counts.get(key) ?? 0

  /** Seconds of CPU by number of process. */
  get cpuSeconds(): ReadonlyMap<number, number> {
    return this.#cpuSeconds
  }
}
