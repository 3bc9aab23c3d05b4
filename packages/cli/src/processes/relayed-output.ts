// Standard output of a worker: its supervisor writes to the real one. Texts are sent whole and one at a time, so lines of two processes are never mixed, and a
// process that dies leaves no half line. The next text is accepted when the last one was written; errors are those of the real stream.
import { Writable } from 'node:stream'
import type { FromWorker, ToWorker } from './process-messages.ts'

/** As when nobody reads any more. */
const GONE = { code: 'AVO_OUTPUT_CLOSED', message: 'the supervisor is gone' } as const

/** The answer to a text. */
type Taken = Extract<ToWorker, { readonly kind: 'taken' }>

/** A stream in place of standard output. */
export class RelayedOutput extends Writable {
  /** Of the real one, which this process has too, to look whether somebody reads it. */
  readonly fd = 1
  readonly #send: (message: FromWorker) => void
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
