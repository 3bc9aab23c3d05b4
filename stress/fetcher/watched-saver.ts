// A saver without a disk, for tests of what calls one: it remembers its calls and throws on any that breaks their order.
import { createHash } from 'node:crypto'
import type { BodySaver, Failure, ResponseHead, SavedBody } from '@avocet/core/plugin'

/** How such a saver behaves. */
export interface WatchedSaverOptions {
  /** Sent with the request. Default: `accept-encoding: identity`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: no limit. */
  readonly maxBytes?: number
  /** Default: it saves whatever it is asked about. */
  readonly accepts?: (head: ResponseHead) => ReturnType<BodySaver['accepts']>
  /** It has no room after so many bytes, again and again, until a later turn of the event loop. Default: it always has. */
  readonly fullEvery?: number
  /** Its room comes only when the test calls `drain`. Default: by itself. */
  readonly drainsByHand?: boolean
  /** From so many bytes on it fails with `failure`: in `write`, or where there was no room in `drained`. */
  readonly fails?: { readonly afterBytes: number; readonly failure: Failure }
  /** What its end comes to. Default: a body named by its hash. */
  readonly end?: Failure
  /** Its end waits until the test calls `finish`. Default: it ends in the next turn. */
  readonly endsByHand?: boolean
}

/**
 * Keeps the hash and the calls of one body: runs of `write` once, as `write`.
 *
 * @example
 * ```ts
 * const saver = new WatchedSaver({ fullEvery: 65_536 })
 * const outbound = { url: 'http://files.test/a.pdf', method: 'GET', headers: saver.headers, privateAllowed: false, limits: DEFAULTS.timeLimits, save: saver }
 * saver.calls // [] until the response is there, then 'accepts', 'write', 'end'
 * ```
 */
export class WatchedSaver implements BodySaver {
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly calls: string[] = []
  bytes = 0
  /** Most bytes that came while there was no room. */
  overflow = 0
  #lackedSince: number | undefined
  #lastFull = 0
  #isFull = false
  #drained: ((trouble?: Failure) => void) | undefined
  #done: ((outcome: SavedBody | Failure) => void) | undefined
  readonly #hash = createHash('sha256')
  readonly #options: WatchedSaverOptions

  constructor(options: WatchedSaverOptions = {}) {
    this.headers = options.headers ?? { 'accept-encoding': 'identity' }
    this.maxBytes = options.maxBytes ?? Infinity
    this.#options = options
  }

  accepts(head: ResponseHead): ReturnType<BodySaver['accepts']> {
    this.#called('accepts', this.calls.length === 0)
    return this.#options.accepts?.(head) ?? 'save'
  }

  write(piece: Uint8Array): boolean | Failure {
    this.#called('write', this.#isOpen)
    this.bytes += piece.byteLength
    this.#hash.update(piece)
    const { fullEvery = Infinity } = this.#options
    if (this.#lackedSince !== undefined) this.overflow = Math.max(this.overflow, this.bytes - this.#lackedSince)
    if (this.#isFull) return false
    if (this.bytes - this.#lastFull < fullEvery) return this.#failure() ?? true
    this.#isFull = true
    this.#lackedSince = this.bytes
    return false
  }

  drained(callback: (trouble?: Failure) => void): void {
    this.#called('drained', this.#isOpen && this.#isFull)
    this.#drained = callback
    if (this.#options.drainsByHand !== true) setImmediate(() => this.drain())
  }

  /** Makes room. */
  drain(): void {
    const callback = this.#drained
    this.#drained = undefined
    this.#isFull = false
    this.#lackedSince = undefined
    this.#lastFull = this.bytes
    callback?.(this.#failure())
  }

  end(done: (outcome: SavedBody | Failure) => void): void {
    this.#called('end', this.#isOpen)
    this.#done = done
    if (this.#options.endsByHand !== true) setImmediate(() => this.finish())
  }

  /** Ends. */
  finish(): void {
    const sha256 = this.#hash.digest('hex')
    this.#done?.(this.#options.end ?? { path: `${sha256}.bin`, sha256, bytes: this.bytes })
  }

  abort(): void {
    this.#called('abort', this.#isOpen)
  }

  get #isOpen(): boolean {
    return this.calls[0] === 'accepts' && !this.calls.includes('end') && !this.calls.includes('abort')
  }

  #failure(): Failure | undefined {
    const { fails } = this.#options
    return fails !== undefined && this.bytes >= fails.afterBytes ? fails.failure : undefined
  }

  #called(name: string, isInOrder: boolean): void {
    if (!isInOrder) throw new RangeError(`expected ${name} in its order, got it after ${this.calls.join(', ')}`)
    if (name !== 'drained' && this.calls.at(-1) !== name) this.calls.push(name)
  }
}
