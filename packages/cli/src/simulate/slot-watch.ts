// Watches a simulated crawl from both sides of its slots: what is booked, and what is on the wire. The difference is a slot that waits.
import type { Crawl } from '@avocet/core'
import type { TracedExchange, TraceEvent } from '@avocet/core/plugin'

/** Counts for one crawl. */
export class SlotWatch {
  /** Ms that slots were taken, from booking to end. */
  bookedMs = 0
  /** Of them, ms with an exchange in flight. */
  wireMs = 0
  /** Epoch ms at which the last page was done; 0 before the first. */
  lastPageAt = 0
  pages = 0
  /** Of exchanges in flight, by id: epoch ms. */
  readonly #begunAt = new Map<string, number>()

  /** Reads the trace of `run`. */
  follow(run: Crawl): void {
    run.hooks.onTrace.tap('simulate', (event: TraceEvent) => {
      if (event.kind === 'begun') this.#begunAt.set(event.exchange.id, event.at)
      else if (event.kind === 'answered' || event.kind === 'failed' || event.kind === 'unsent')
        this.#ended(event.exchange, event.at)
      else if (event.kind === 'committed' && event.outcome.kind === 'done') {
        this.lastPageAt = event.at
        this.pages++
      }
    })
  }

  #ended({ id, bookedAt }: TracedExchange, at: number): void {
    this.bookedMs += at - bookedAt
    this.wireMs += at - (this.#begunAt.get(id) ?? at)
    this.#begunAt.delete(id)
  }
}
