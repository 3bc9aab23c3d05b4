// One exchange under way: booked, then on its way, then over. What plugins see as an Exchange, what the fetcher sees as its sink.
//
// Each booked exchange ends in exactly one of answered, failed and unsent. All callbacks are synchronous: between the arrival of a response
// and the next decision there is no await.
import { messageOf } from '../errors.ts'
import { chanceOf } from '../chance.ts'
import { failure, type Failure } from '../failure.ts'
import type { Abort, BodyWish, FetchSink, TimeLimits } from '../fetcher.ts'
import { Collector } from '../hooks/collector.ts'
import type { HookName } from '../hooks/hooks.ts'
import { isIdempotent } from '../is-idempotent.ts'
import type { Leased, Request } from '../request.ts'
import type { Response, ResponseHead } from '../response.ts'
import { notAnswer } from '../plugin-answer.ts'
import type { LiveHost, Recallable } from '../hosts/live-host.ts'

/** Who hears how an exchange ended. */
export interface ExchangeEnds {
  sent(): void
  /** Whether the body of this answer is worth reading. */
  wish(run: ExchangeRun, head: ResponseHead): BodyWish
  answered(run: ExchangeRun, response: Response): void
  /** A plugin answered instead of the host. */
  served(run: ExchangeRun, response: Response): void
  failed(run: ExchangeRun, failure: Failure): void
  /** It will never be written. `requeue`: its request goes back to the head of the queue. */
  unsent(run: ExchangeRun, requeue: boolean): void
}

/** What an exchange is made of. */
export interface ExchangeParts {
  readonly host: LiveHost
  /** As the frontier handed it out; absent for a required document. */
  readonly leased: Leased | undefined
  readonly request: Request
  readonly required: boolean
  readonly admittedAt: number
  readonly limits: TimeLimits
  readonly randomSeed: string
  readonly now: () => number
  readonly ends: ExchangeEnds
}

/** One attempt at one request. */
export class ExchangeRun extends Collector implements Recallable, FetchSink {
  readonly request: Request
  readonly leased: Leased | undefined
  readonly host: LiveHost
  readonly seq: number
  readonly admittedAt: number
  readonly required: boolean
  /** Whether its slot counts for the share of hosts on probation. */
  readonly onProbation: boolean
  sentAt?: number
  /** When its host was last asked before it, epoch ms. */
  previousStartAt = 0
  /** Why it is not to be sent: a plugin threw in `onAdmit`. */
  refused: Failure | undefined
  isOver = false
  /** Of one in which another page is asked: trouble there counts; epoch ms until which the request waits. */
  struggled: (() => number) | undefined
  #limits: TimeLimits
  #abort: Abort | undefined
  readonly #parts: ExchangeParts

  constructor(parts: ExchangeParts) {
    super()
    this.#parts = parts
    this.request = parts.request
    this.leased = parts.leased
    this.host = parts.host
    this.required = parts.required
    this.admittedAt = parts.admittedAt
    this.onProbation = parts.host.onProbation
    this.#limits = parts.limits
    this.seq = ++parts.host.core.seq
  }

  get limits(): TimeLimits {
    return this.#limits
  }

  get isSent(): boolean {
    return this.sentAt !== undefined
  }

  limit(limits: Partial<TimeLimits>): void {
    checkLimits(limits)
    const own = this.#limits
    this.#limits = {
      connectMs: Math.min(own.connectMs, limits.connectMs ?? Infinity),
      firstByteMs: Math.min(own.firstByteMs, limits.firstByteMs ?? Infinity),
      idleMs: Math.min(own.idleMs, limits.idleMs ?? Infinity),
      totalMs: Math.min(own.totalMs, limits.totalMs ?? Infinity),
      minBytesPerSecond: Math.max(own.minBytesPerSecond, limits.minBytesPerSecond ?? 0),
    }
  }

  random(salt: string): number {
    return chanceOf(`${this.#parts.randomSeed}\n${this.host.key}\n${this.seq}\n${salt}`)
  }

  /** Nothing of it was written: the host was last asked when it was before, unless others were booked since. */
  takeBackStart(): void {
    const { core } = this.host
    if (this.isSent || core.lastStartAt !== this.admittedAt) return
    core.lastStartAt = this.previousStartAt
    core.takenBackAt = this.#parts.now()
  }

  /** The fetcher has it: this is how to end it. */
  underWay(abort: Abort): void {
    if (this.isOver) abort()
    else this.#abort = abort
  }

  /** Nothing is sent if that was before it could be. */
  threw(plugin: string, hook: HookName, error: unknown): void {
    if (hook === 'onAdmit') this.refused = failure('AVO_PLUGIN_THREW', `plugin ${plugin} threw in onAdmit: ${messageOf(error)}`)
  }

  recall(): void {
    this.unsent(true)
  }

  /**
   * Ends it, sent or not; its request goes back to the queue, for none of this is its fault. Except what may not be sent twice: it failed, unless
   * another process has the host.
   */
  abort(): void {
    if (!this.isSent || !this.host.live || isIdempotent(this.request.method)) return this.unsent(true)
    this.#abort?.()
    this.fail(
      failure('AVO_ABORTED', `${this.request.method} was sent, and is not sent twice`, { sent: true, phase: 'firstByte' }),
    )
  }

  /** Its request goes back to the queue of its host. */
  requeue(): void {
    const { host, leased } = this
    if (leased === undefined) return
    host.unsettled--
    host.queue.add(leased, this.#parts.now())
  }

  /** Ends it without an answer of the host. */
  unsent(requeue: boolean): void {
    if (!this.#end()) return
    this.#abort?.()
    this.#parts.ends.unsent(this, requeue)
  }

  /** A failure that did not come from the fetcher. */
  fail(cause: Failure): void {
    if (this.#end()) this.#parts.ends.failed(this, cause)
  }

  /** An answer that did not come from the host. */
  serve(response: Response): void {
    if (this.#end()) this.#parts.ends.served(this, response)
  }

  sent(): void {
    if (this.isOver || this.sentAt !== undefined) return
    this.sentAt = this.#parts.now()
    this.#parts.ends.sent()
  }

  headers(head: ResponseHead): BodyWish {
    return this.isOver ? 'discard' : this.#parts.ends.wish(this, head)
  }

  done(response: Response): void {
    if (this.#end()) this.#parts.ends.answered(this, response)
  }

  failed(cause: Failure): void {
    if (this.#end()) this.#parts.ends.failed(this, cause)
  }

  /** Whether this was the first end. */
  #end(): boolean {
    if (this.isOver) return false
    this.isOver = true
    return true
  }
}

const LIMITS = ['connectMs', 'firstByteMs', 'idleMs', 'totalMs', 'minBytesPerSecond'] as const

function checkLimits(limits: Partial<TimeLimits>): void {
  for (const name of LIMITS) {
    const value = limits[name]
    if (value === undefined) continue
    if (typeof value === 'number' && (value > 0 || (value === 0 && name === 'minBytesPerSecond'))) continue
    throw notAnswer('limit()', `${name} as a number above 0`, value)
  }
}
