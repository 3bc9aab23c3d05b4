// Takes the times of one exchange's phases, and tells them as the port wants them.
import type { Timings } from '@avocet/core/store'

/** A kept-alive connection that fails within this many ms of writing was closed already; later, the server failed over the request. */
const STALE_MS = 2_000

/** The times of one exchange. All moments are those of `clock.monotonic()`. */
export class Stopwatch {
  #connectMs: number | undefined
  #sentAt: number | undefined
  #answeredAt: number | undefined
  #receivedAt: number | undefined
  /** Of these, ms before the body was complete. */
  #waitedReadingMs = 0
  #waitedMs = 0

  /** Whether the request was sent. */
  get isSent(): boolean {
    return this.#sentAt !== undefined
  }

  /** Whether it was sent on a connection that stood already. */
  get reusedSocket(): boolean {
    return this.isSent && this.#connectMs === undefined
  }

  /** @param connectMs how long connecting took; undefined on a connection that stood already. */
  sent(now: number, connectMs: number | undefined): void {
    this.#sentAt = now
    this.#connectMs = connectMs
  }

  answered(now: number): void {
    this.#answeredAt = now
  }

  received(now: number): void {
    this.#receivedAt = now
  }

  /** For so many ms it waited for room in our memory. */
  waited(ms: number): void {
    this.#waitedMs += ms
    if (this.#receivedAt === undefined) this.#waitedReadingMs += ms
  }

  /** Whether a connection that fails now had been closed before it was used again. */
  isStale(now: number): boolean {
    return this.reusedSocket && now - (this.#sentAt ?? now) <= STALE_MS
  }

  /** Of a complete answer: to be asked after `received`. */
  get whole(): Timings {
    const [sentAt, answeredAt, receivedAt] = [this.#sentAt ?? 0, this.#answeredAt ?? 0, this.#receivedAt ?? 0]
    const bodyMs = receivedAt - answeredAt - this.#waitedReadingMs
    const waitedMs = this.#waitedMs > 0 ? this.#waitedMs : undefined
    return { connectMs: this.#connectMs, firstByteMs: answeredAt - sentAt, bodyMs, reusedSocket: this.reusedSocket, waitedMs }
  }

  /** Of a failure: what it got through. Undefined when nothing was sent. */
  get partial(): Partial<Timings> | undefined {
    if (this.#sentAt === undefined) return undefined
    if (this.#answeredAt === undefined) return this.#connection
    const waited = this.#waitedMs > 0 && { waitedMs: this.#waitedMs }
    return { ...this.#connection, firstByteMs: this.#answeredAt - this.#sentAt, ...waited }
  }

  get #connection(): Pick<Timings, 'connectMs' | 'reusedSocket'> {
    return this.#connectMs === undefined ? { reusedSocket: true } : { connectMs: this.#connectMs, reusedSocket: false }
  }
}
