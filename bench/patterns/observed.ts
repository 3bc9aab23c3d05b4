// A fetcher that keeps count of what passes: the same figures for each contestant, whoever it is.
import type { Clock, Fetcher, FetchReceiver, Outbound } from '@avocet/core/store'

/** Counts over a whole run. A robots.txt is a request, and never a page. */
export class Observed implements Fetcher {
  requests = 0
  refused = 0
  timeouts = 0
  deadRequests = 0
  /** Time of requests on their way, summed. Ms. */
  wireMs = 0
  /** Epoch ms of the last good page. */
  lastGoodAt: number
  /** Good pages, each once. */
  readonly good = new Set<string>()
  /** Hosts that banned us, by authority. */
  readonly banned = new Set<string>()
  readonly #inner: Fetcher
  readonly #clock: Clock
  readonly #dead: ReadonlySet<string>
  readonly #startedAt: number

  /** `dead`: authorities of hosts that never answer well. */
  constructor(inner: Fetcher, clock: Clock, dead: ReadonlySet<string>) {
    this.#inner = inner
    this.#clock = clock
    this.#dead = dead
    this.#startedAt = clock.now()
    this.lastGoodAt = this.#startedAt
  }

  /** Ms from the start to the last good page. */
  get lastGoodMs(): number {
    return this.lastGoodAt - this.#startedAt
  }

  fetch(outbound: Outbound, receiver: FetchReceiver): () => void {
    const from = this.#clock.now()
    const { host } = new URL(outbound.url)
    let status = 0
    let isOver = false
    const over = (): void => {
      isOver = true
      this.wireMs += this.#clock.now() - from
    }
    this.requests++
    if (this.#dead.has(host)) this.deadRequests++
    const abort = this.#inner.fetch(outbound, {
      sent: () => receiver.sent(),
      headers: (head) => {
        ;({ status } = head)
        if (status === 429 || status === 503) this.refused++
        if (status === 403) this.banned.add(host)
        return receiver.headers(head)
      },
      done: (response) => {
        over()
        this.#note(outbound.url, status)
        receiver.done(response)
      },
      failed: (failure) => {
        over()
        if (failure.code.endsWith('_TIMEOUT')) this.timeouts++
        receiver.failed(failure)
      },
    })
    return () => {
      if (!isOver) over()
      abort()
    }
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #note(url: string, status: number): void {
    if (status !== 200 || url.endsWith('/robots.txt') || this.good.has(url)) return
    this.good.add(url)
    this.lastGoodAt = this.#clock.now()
  }
}
