// A worker's link to its supervisor: the messages that it receives and sends. If the supervisor exits, the worker stops.
import type { Crawl } from '@avocet/core'
import type { Clock } from '@avocet/core/store'
import { RECALL_MS } from '../text/orders-in-words.ts'
import type { FromWorker, ToWorker, WorkerPart } from './process-messages.ts'

/** The channel of a process: this one. */
export interface Channel {
  readonly connected: boolean
  send?(message: unknown, sent: (error: Error | null) => void): boolean
  on(event: 'message', heard: (message: unknown) => void): unknown
  on(event: 'disconnect', gone: () => void): unknown
  exit(code: number): void
}

/** What obeys. */
export interface Obeying {
  readonly run: Pick<Crawl, 'stop' | 'abort'>
  /** How long it may take to end, in ms. */
  readonly drainMs: number
}

/** In addition to what requests and sinks are given to finish. */
const LATE_MS = 60_000

/** The link. */
export class SupervisorLink {
  readonly #channel: Channel
  readonly #clock: Clock
  readonly #part: PromiseWithResolvers<WorkerPart> = Promise.withResolvers()
  readonly #open: PromiseWithResolvers<void> = Promise.withResolvers()
  #obeying: Obeying | undefined
  /** Received before there was a run to obey them. */
  #early: ToWorker[] = []

  constructor(channel: Channel, clock: Clock) {
    this.#channel = channel
    this.#clock = clock
    channel.on('message', (message) => this.#heard(message as ToWorker))
    channel.on('disconnect', () => this.#gone())
  }

  readonly send = (message: FromWorker): void => {
    void this.sent(message)
  }

  /** Resolves once it is on its way, or cannot be sent any more. */
  sent(message: FromWorker): Promise<void> {
    return new Promise((done) => {
      if (this.#channel.connected) this.#channel.send?.(message, () => done())
      else done()
    })
  }

  /** What this process is to do. */
  part(): Promise<WorkerPart> {
    return this.#part.promise
  }

  /** Resolves once the store may be opened, or nothing is to be crawled any more. */
  mayOpen(): Promise<void> {
    return this.#open.promise
  }

  /** Obeys from now on, and what was heard before. */
  obey(obeying: Obeying): void {
    this.#obeying = obeying
    for (const message of this.#early.splice(0)) this.#heard(message)
    if (!this.#channel.connected) this.#gone()
  }

  #heard(message: ToWorker): void {
    if (message.kind === 'part') return this.#part.resolve(message.part)
    this.#open.resolve()
    if (message.kind === 'open') return
    if (this.#obeying === undefined) return void this.#early.push(message)
    const { run } = this.#obeying
    if (message.kind === 'abort') return run.abort()
    run.stop({ interrupted: true, ...(message.recallMs !== undefined && { recallMs: message.recallMs }) })
  }

  #gone(): void {
    // It has not begun.
    if (this.#obeying === undefined) return this.#channel.exit(1)
    const { run, drainMs } = this.#obeying
    run.stop({ interrupted: true, recallMs: RECALL_MS })
    this.#clock.at(this.#clock.now() + 2 * drainMs + LATE_MS, () => this.#channel.exit(1))
  }
}
