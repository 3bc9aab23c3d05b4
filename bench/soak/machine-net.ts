// The network as one process sees it: its exchanges end with it, and those that a sleeping machine had open are reset.
import { failure, type Clock, type Fetcher, type FetchReceiver, type Outbound } from '@avocet/core/store'

/** Told of everything that a process asks and hears. */
export interface Watcher {
  begun(outbound: Outbound): void
  /** The request is written: the answer is the page as it is at this moment. */
  sent(outbound: Outbound): void
  /** The headers have come. */
  answered(outbound: Outbound, status: number): void
  done(outbound: Outbound, status: number): void
  failed(outbound: Outbound, code: string): void
}

/** A fetcher of one process on `web`, which others share. */
export class MachineNet implements Fetcher {
  readonly #web: Fetcher
  readonly #clock: Clock
  readonly #watcher: Watcher
  readonly #open = new Map<FetchReceiver, () => void>()
  #isDead = false

  constructor(web: Fetcher, clock: Clock, watcher: Watcher) {
    this.#web = web
    this.#clock = clock
    this.#watcher = watcher
  }

  fetch(outbound: Outbound, receiver: FetchReceiver): () => void {
    if (this.#isDead) return () => {}
    const watcher = this.#watcher
    watcher.begun(outbound)
    const abort = this.#web.fetch(outbound, {
      sent: () => {
        watcher.sent(outbound)
        receiver.sent()
      },
      headers: (head) => {
        watcher.answered(outbound, head.status)
        return receiver.headers(head)
      },
      done: (response) => {
        this.#open.delete(receiver)
        watcher.done(outbound, response.status)
        receiver.done(response)
      },
      failed: (failed) => {
        this.#open.delete(receiver)
        watcher.failed(outbound, failed.code)
        receiver.failed(failed)
      },
    })
    this.#open.set(receiver, abort)
    return () => {
      this.#open.delete(receiver)
      abort()
    }
  }

  /** No connection outlives a sleep: each is found broken when the machine wakes. */
  sleep(): void {
    const broken = [...this.#open.keys()]
    this.#abortAll()
    for (const receiver of broken) {
      const wake = this.#clock.at(this.#clock.now(), () => {
        this.#open.delete(receiver)
        receiver.failed(failure('AVO_RESET', 'the machine slept', { sent: true }))
      })
      this.#open.set(receiver, () => wake[Symbol.dispose]())
    }
  }

  kill(): void {
    this.#isDead = true
    this.#abortAll()
  }

  close(): Promise<void> {
    this.#abortAll()
    return Promise.resolve()
  }

  #abortAll(): void {
    for (const abort of this.#open.values()) abort()
    this.#open.clear()
  }
}
