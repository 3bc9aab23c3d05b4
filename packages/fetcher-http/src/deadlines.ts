// The time limits of one exchange, as one moment at which to look again and the reason to end it then. No timers: the watchdog asks.
import { type FailureCode, formatDuration } from '@avocet/core/plugin'
import type { Phase, TimeLimits } from '@avocet/core/store'

/** How an exchange is too late. */
export interface Overrun {
  readonly code: FailureCode
  readonly phase: Phase
  readonly message: string
}

/**
 * Follows one exchange through connecting, waiting and reading. All moments are those of `clock.monotonic()`.
 *
 * The limit of a phase starts anew with the phase; the total and the least throughput are what ends a server that drips.
 */
export class Deadlines {
  readonly #limits: TimeLimits
  readonly #windowMs: number
  #totalAt: number
  #phase: 'connect' | 'firstByte' | 'body' | 'decode' = 'connect'
  #phaseAt: number
  #bytes = 0
  #windowBytes = 0
  #windowAt = Infinity

  /** @param windowMs over which the throughput is averaged. */
  constructor(limits: TimeLimits, startedAt: number, windowMs: number) {
    this.#limits = limits
    this.#windowMs = windowMs
    this.#totalAt = startedAt + limits.totalMs
    this.#phaseAt = startedAt + limits.connectMs
  }

  /** When to ask `overrun` next. */
  get dueAt(): number {
    return Math.min(this.#totalAt, this.#phaseAt, this.#windowAt)
  }

  /** The request is being written. */
  sent(now: number): void {
    this.#phase = 'firstByte'
    this.#phaseAt = now + this.#limits.firstByteMs
  }

  /** The headers came. */
  answered(now: number): void {
    this.#phase = 'body'
    this.#phaseAt = now + this.#limits.idleMs
    this.#windowAt = now + this.#windowMs
  }

  /** The body is saved: it may be of any size, so only its pace has limits. */
  saves(): void {
    this.#totalAt = Infinity
  }

  /** A piece of the body came. */
  bodyCame(bytes: number, now: number): void {
    this.#bytes += bytes
    this.#phaseAt = now + this.#limits.idleMs
  }

  /** For so many ms we did not read, for want of room: no limit is the host's to keep meanwhile. */
  waited(ms: number): void {
    this.#totalAt += ms
    this.#phaseAt += ms
    this.#windowAt += ms
  }

  /** The body is complete, only our own work is left: nothing of that is late by the host's fault. */
  received(): void {
    this.#phase = 'decode'
    this.#totalAt = Infinity
    this.#phaseAt = Infinity
    this.#windowAt = Infinity
  }

  /** An unwanted body is read no longer than this. */
  drains(until: number): void {
    this.#totalAt = this.#phaseAt = this.#windowAt = until
  }

  /** Which limit is exceeded at `now`; undefined when none is, and then `dueAt` is later. `connecting` says what connecting is at. */
  overrun(now: number, connecting: 'dns' | 'connect' | 'tls'): Overrun | undefined {
    const phase = this.#phase === 'connect' ? connecting : this.#phase === 'decode' ? 'body' : this.#phase
    if (this.#phaseAt <= now && this.#phaseAt <= this.#totalAt) return this.#phaseOverrun(phase)
    if (this.#totalAt <= now) {
      return { code: 'AVO_TOTAL_TIMEOUT', phase, message: `not complete within ${formatDuration(this.#limits.totalMs)}` }
    }
    return this.#windowAt <= now ? this.#closeWindow() : undefined
  }

  #phaseOverrun(phase: Phase): Overrun {
    const { connectMs, firstByteMs, idleMs } = this.#limits
    if (phase === 'firstByte') {
      return {
        code: 'AVO_FIRST_BYTE_TIMEOUT',
        phase,
        message: `no response headers within ${formatDuration(firstByteMs)} of sending`,
      }
    }
    if (phase === 'body') return { code: 'AVO_IDLE_TIMEOUT', phase, message: `no more of the body for ${formatDuration(idleMs)}` }
    if (phase === 'dns')
      return { code: 'AVO_DNS_FAILED', phase, message: `the name server did not answer within ${formatDuration(connectMs)}` }
    const what = phase === 'tls' ? 'TLS handshake' : 'connection'
    return { code: 'AVO_CONNECT_TIMEOUT', phase, message: `no ${what} within ${formatDuration(connectMs)}` }
  }

  #closeWindow(): Overrun | undefined {
    const bytes = this.#bytes - this.#windowBytes
    const least = (this.#limits.minBytesPerSecond * this.#windowMs) / 1_000
    if (bytes < least) {
      const message = `${bytes} bytes of body in ${formatDuration(this.#windowMs)}, at least ${least} are expected`
      return { code: 'AVO_TOO_SLOW', phase: 'body', message }
    }
    this.#windowBytes = this.#bytes
    this.#windowAt += this.#windowMs
    return undefined
  }
}
