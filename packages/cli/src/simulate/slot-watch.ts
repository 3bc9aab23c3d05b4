// Watches a simulated crawl from both sides of its slots: what is booked, and what is on the wire. The difference is a slot that waits.
import type { Crawl, Exchange, Fetcher, FetchSink, Outbound } from '@avocet/core'

/** Counts for one crawl. */
export class SlotWatch {
  /** Ms that slots were taken, from booking to end. */
  bookedMs = 0
  /** Of them, ms with an exchange under way. */
  wireMs = 0
  /** Epoch ms at which the last page was done; 0 before the first. */
  lastPageAt = 0
  pages = 0
  readonly #clock: { now(): number }

  constructor(clock: { now(): number }) {
    this.#clock = clock
  }

  /** Taps `run`, which decides as if nobody looked. */
  follow(run: Crawl): void {
    const over = ({ admittedAt }: Exchange): void => {
      this.bookedMs += this.#clock.now() - admittedAt
    }
    run.hooks.onUnsent.tap('simulate', over)
    run.hooks.onResponse.tap('simulate', ({ exchange }) => over(exchange))
    run.hooks.onError.tap('simulate', ({ exchange }) => over(exchange))
    run.hooks.onSettled.tap('simulate', ({ outcome, now }) => {
      if (outcome.kind !== 'done') return
      this.lastPageAt = now
      this.pages++
    })
  }

  /** `web`, with a stop watch at each exchange. */
  around(web: Fetcher): Fetcher {
    return {
      fetch: (outbound, sink) => this.#timed(web, outbound, sink),
      ...(web.gauges && { gauges: () => web.gauges?.() ?? { sockets: 0, busy: 0 } }),
      close: () => web.close(),
    }
  }

  #timed(web: Fetcher, outbound: Outbound, sink: FetchSink): () => void {
    const startedAt = this.#clock.now()
    let isOver = false
    const over = (): void => {
      if (isOver) return
      isOver = true
      this.wireMs += this.#clock.now() - startedAt
    }
    const abort = web.fetch(outbound, {
      sent: () => sink.sent(),
      headers: (head) => sink.headers(head),
      done: (response) => {
        over()
        sink.done(response)
      },
      failed: (failure) => {
        over()
        sink.failed(failure)
      },
    })
    return () => {
      over()
      abort()
    }
  }
}
