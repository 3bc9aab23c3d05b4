// One direction of a connection through a proxy: what is written comes out a fixed time later, in order, and never more than its bound is on the way.
import type { Socket } from 'node:net'
import type { Clock } from '@avocet/core/store'

/** Bytes on the way at which the sender is no longer read from. */
const MAX_BYTES = 2 ** 20

/** Where bytes come from and go to, and how long they take. */
export interface DelayedWay {
  readonly from: Socket
  readonly to: Socket
  readonly delayMs: number
  readonly clock: Clock
}

/** Passes bytes on, late. */
export class DelayLine {
  readonly #way: DelayedWay
  #late: { readonly at: number; readonly bytes: Buffer; readonly isLast: boolean }[] = []
  #lateBytes = 0
  #wake: Disposable | undefined
  #isHeld = false
  #isFull = false

  constructor(way: DelayedWay) {
    this.#way = way
    way.to.on('drain', this.#flush)
  }

  /** `isLast`: the connection ends after these bytes. */
  write(bytes: Buffer, isLast = false): void {
    const { clock, delayMs } = this.#way
    this.#late.push({ at: clock.now() + delayMs, bytes, isLast })
    this.#lateBytes += bytes.byteLength
    this.#flush()
  }

  /** Holds back all bytes, or no longer. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#flush()
  }

  close(): void {
    this.#wake?.[Symbol.dispose]()
    this.#late = []
  }

  readonly #flush = (): void => {
    const { to, clock } = this.#way
    this.#wake?.[Symbol.dispose]()
    for (let first = this.#late[0]; first !== undefined && !this.#isHeld && !to.writableNeedDrain; first = this.#late[0]) {
      if (first.at > clock.now()) {
        this.#wake = clock.at(first.at, this.#flush)
        break
      }
      this.#late.shift()
      this.#lateBytes -= first.bytes.byteLength
      if (first.isLast) to.end(first.bytes)
      else to.write(first.bytes)
    }
    this.#read()
  }

  /** Reads from the sender while there is room. */
  #read(): void {
    const { from } = this.#way
    const isFull = this.#isHeld || this.#lateBytes >= MAX_BYTES
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    if (isFull) from.pause()
    else from.resume()
  }
}
