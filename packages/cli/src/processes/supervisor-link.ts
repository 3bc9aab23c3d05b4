// A worker's link to its supervisor: the messages that it receives and sends.
//
// If the supervisor exits, the worker stops, and no longer waits for messages that only the supervisor could send.
import { Writable } from 'node:stream'
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
  #output: RelayedOutput | undefined

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

  /** Resolves once the store may be opened. */
  mayOpen(): Promise<void> {
    return this.#open.promise
  }

  /** Obeys from now on, and what was heard before. */
  obey(obeying: Obeying): void {
    this.#obeying = obeying
    const early = this.#early
    this.#early = []
    for (const message of early) this.#heard(message)
    if (!this.#channel.connected) this.#gone()
  }

  /** Is told what becomes of its texts. */
  relay(output: RelayedOutput): void {
    this.#output = output
  }

  #heard(message: ToWorker): void {
    const { kind } = message
    if (kind === 'part') return this.#part.resolve(message.part)
    if (kind === 'open') return this.#open.resolve()
    if (kind === 'taken') return this.#output?.taken(message)
    if (this.#obeying === undefined) this.#early.push(message)
    else this.#obey(message, this.#obeying)
  }

  #obey(message: ToWorker, { run, drainMs }: Obeying): void {
    if (message.kind === 'stop') {
      this.#open.resolve()
      run.stop({ interrupted: true, ...(message.recallMs !== undefined && { recallMs: message.recallMs }) })
      // A reader that does not read must not keep it.
      if (Number.isFinite(drainMs)) this.#clock.at(this.#clock.now() + drainMs, () => this.#output?.letGo())
    } else if (message.kind === 'abort') {
      this.#open.resolve()
      run.abort()
      this.#output?.letGo()
    }
  }

  #gone(): void {
    this.#open.resolve()
    this.#output?.gone()
    const { run, drainMs } = this.#obeying ?? {}
    // It has not begun.
    if (run === undefined || drainMs === undefined) return this.#channel.exit(1)
    run.stop({ interrupted: true, recallMs: RECALL_MS })
    this.#clock.at(this.#clock.now() + 2 * drainMs + LATE_MS, () => this.#channel.exit(1))
  }
}

// Standard output of a worker: its supervisor writes to the real one. Texts are sent whole and one at a time, so lines of two processes are never mixed, and a
// process that dies leaves no half line. The next text is accepted when the last one was written; errors are those of the real stream.

/** As when nobody reads any more. */
const GONE = { code: 'AVO_OUTPUT_CLOSED', message: 'the supervisor is gone' } as const

/** The answer to a text. */
type Taken = Extract<ToWorker, { readonly kind: 'taken' }>

/** A stream in place of standard output. */
export class RelayedOutput extends Writable {
  /** Of the real one, which this process has too: it tells a file from a pipe. */
  readonly fd = 1
  readonly #send: (message: FromWorker) => void
  readonly #letGo: PromiseWithResolvers<void> = Promise.withResolvers()
  #isGone = false
  #done: ((error?: Error | null) => void) | undefined

  constructor(send: (message: FromWorker) => void) {
    super({ decodeStrings: false })
    this.#send = send
    this.on('error', () => undefined)
  }

  override _write(chunk: string | Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#done = done
    if (this.#isGone) return this.taken({ kind: 'taken', error: GONE })
    this.#send({ kind: 'output', text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() })
  }

  /** Resolves once the supervisor has written everything, or nobody waits for that any more. Nothing more is taken. */
  drained(): Promise<void> {
    return Promise.race([new Promise<void>((done) => this.end(() => done())), this.#letGo.promise])
  }

  /** Nobody waits for it any more. */
  letGo(): void {
    this.#letGo.resolve()
  }

  /** The supervisor has exited. */
  gone(): void {
    this.#isGone = true
    this.taken({ kind: 'taken', error: GONE })
  }

  /** The supervisor has answered. */
  taken({ error }: Taken): void {
    const done = this.#done
    this.#done = undefined
    done?.(error === undefined ? null : Object.assign(new Error(error.message), error.code !== undefined && { code: error.code }))
  }
}
