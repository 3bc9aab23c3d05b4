// Reads the bodies of refusals (429, 503), which a crawl does not: a person who looks at one wants to know what it says.
//
// The crawl is told of a refusal at its headers, as ever, and hears no more of it. What comes after is read on, within the limits of the exchange.
import type { Response } from '@avocet/core'
import { isRefusal } from '@avocet/core/plugin'
import type { Clock, Fetcher, FetchReceiver, Outbound } from '@avocet/core/store'

/** Keeps what a crawl lets go of. */
export class RefusedBodies {
  readonly #coming = new Map<string, Promise<Response | undefined>>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The same fetcher, but for refusals. It stays open: several crawls in a row use it. */
  reading(fetcher: Fetcher): Fetcher {
    const fetch: Fetcher['fetch'] = (outbound, receiver) => fetcher.fetch(outbound, this.#between(outbound, receiver))
    return { ...fetcher, fetch, close: async () => {} }
  }

  /** The last refusal of `url` as a whole; undefined when there was none, or when its body did not come. */
  async of(url: string): Promise<Response | undefined> {
    return this.#coming.get(url)
  }

  #between({ url }: Outbound, receiver: FetchReceiver): FetchReceiver {
    const { promise, resolve } = Promise.withResolvers<Response | undefined>()
    let sentAt = 0
    let isOver = false
    return {
      sent: () => {
        sentAt = this.#clock.monotonic()
        receiver.sent()
      },
      headers: (head) => {
        const wish = receiver.headers(head)
        if (wish === 'read' || !isRefusal(head.status)) return wish
        isOver = true
        this.#coming.set(url, promise)
        const timings = { firstByteMs: this.#clock.monotonic() - sentAt, bodyMs: 0, reusedSocket: true }
        receiver.done({ ...head, url, body: new Uint8Array(), wireBytes: 0, timings })
        return 'read'
      },
      flows: () => receiver.flows?.(),
      holds: () => receiver.holds?.(),
      done: (response) => (isOver ? resolve(response) : receiver.done(response)),
      failed: (failure) => (isOver ? resolve(undefined) : receiver.failed(failure)),
    }
  }
}
