// One exchange in progress: booked, then in flight, then ended. What plugins see as an Exchange, what the fetcher sees as its receiver.
//
// Each booked exchange ends once. Its end is passed on in the tick in which it comes: between the arrival of a response and the next decision there is no
// await.
import { messageOf } from '../values/errors.ts'
import { failure, type Failure } from '../ports/failure.ts'
import type { BodyWish, FetchReceiver, ProxyServer, TimeLimits } from '../ports/fetcher.ts'
import { Collector } from '../hooks/collector.ts'
import { chanceOf, type Run } from '../run/run.ts'
import type { Settings } from '../run/settings.ts'
import { trace, type HookName } from '../hooks/hooks.ts'
import { isUnchanged } from '../run/conditional.ts'
import type { Tally } from '../run/tally.ts'
import { isRefusal } from '../laws/statuses.ts'
import type { Verdict } from '../ports/exchange.ts'
import { isIdempotent, type Leased, type Request } from '../ports/request.ts'
import type { CrawledPage } from '../ports/page.ts'
import { isRedirect, type Response, type ResponseHead } from '../ports/response.ts'
import { notAnswer } from '../ports/plugin-answer.ts'
import type { LiveHost, Recallable } from '../hosts/live-host.ts'
import { traced } from '../ports/trace.ts'

/** Why an exchange is not sent now. */
export type PutOff = Exclude<Verdict, { readonly kind: 'accept' }>

/** How an exchange ended. */
export type ExchangeEnd =
  | { readonly kind: 'answered'; readonly response: Response }
  /** A plugin answered in place of the host. */
  | { readonly kind: 'served'; readonly response: Response }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Not sent: a plugin drops it or puts it off. */
  | { readonly kind: 'put-off'; readonly verdict: PutOff; readonly by?: string }
  /** Taken back by the crawl: its request goes back to the queue. */
  | { readonly kind: 'recalled' }

/** What an exchange is made of. */
export interface ExchangeParts {
  readonly host: LiveHost
  /** As the frontier handed it out; absent for a required document. */
  readonly leased: Leased | undefined
  readonly request: Request
  /** Whether an answer of this status is a page. */
  readonly accepts: (status: number) => boolean
  readonly run: Pick<Run, 'hooks'> & {
    readonly settings: Pick<Settings, 'clock' | 'timeLimits' | 'randomSeed'>
    readonly tally: Pick<Tally, 'counts'>
    readonly tenure: Pick<Run['tenure'], 'holds'>
  }
  /** Takes its end, in the tick in which it ends. */
  readonly ended: (exchange: LiveExchange, end: ExchangeEnd) => void
}

/** One attempt at one request. */
export class LiveExchange extends Collector implements Recallable, FetchReceiver {
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
  /** The same, had all requests started evenly. */
  previousEvenStartAt = 0
  /** Why it is not to be sent: a plugin threw in `onAdmit`. */
  refused: Failure | undefined
  isOver = false
  /** URL of the proxy that it goes through, without credentials. */
  proxy?: string
  proxyId?: string
  proxyFailure?: { readonly failure: Failure; readonly at: number; readonly isProven: boolean }
  /** Its answer as a page, where somebody looked at it before its handler. */
  page: CrawledPage | undefined
  /** A plugin has its body saved. */
  saves = false
  #limits: TimeLimits
  #abort: (() => void) | undefined
  readonly #parts: ExchangeParts

  constructor(parts: ExchangeParts) {
    super()
    this.#parts = parts
    this.request = parts.request
    this.leased = parts.leased
    this.host = parts.host
    this.required = parts.leased === undefined
    this.admittedAt = this.#now
    this.onProbation = parts.host.onProbation
    this.#limits = parts.run.settings.timeLimits
    this.seq = ++parts.host.core.seq
  }

  get limits(): TimeLimits {
    return this.#limits
  }

  get isSent(): boolean {
    return this.sentAt !== undefined
  }

  /** A stop takes it back if it is not sent; `alsoSent`: also where it is, and may be sent twice. */
  takeBack(alsoSent: boolean): void {
    if (!this.isSent || (alsoSent && isIdempotent(this.request.method))) this.recall()
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
    return chanceOf(`${this.#parts.run.settings.randomSeed}\n${this.host.key}\n${this.seq}\n${salt}`)
  }

  /** Nothing of it was written: what the host knew of its last request before this one holds again, unless others were booked since. */
  takeBackStart(): void {
    const { core } = this.host
    if (this.isSent || core.lastStartAt !== this.admittedAt) return
    core.lastStartAt = this.previousStartAt
    this.host.evenStartAt = this.previousEvenStartAt
    core.takenBackAt = this.#now
  }

  /** It goes through this proxy. */
  goThrough(proxy: ProxyServer): void {
    this.proxy = proxy.url
    this.proxyId = proxy.id
  }

  /** The fetcher has it: this is how to end it. */
  underWay(abort: () => void): void {
    if (this.isOver) abort()
    else this.#abort = abort
  }

  /** Nothing is sent if that was before it could be. */
  threw(plugin: string, hook: HookName, error: unknown): void {
    if (hook === 'onAdmit') this.refused = failure('AVO_PLUGIN_THREW', `plugin ${plugin} threw in onAdmit: ${messageOf(error)}`)
  }

  recall(): void {
    this.#end({ kind: 'recalled' })
  }

  /**
   * Ends it, sent or not; its request goes back to the queue, for none of this is its fault. Except what may not be sent twice: it failed, unless
   * another process has the host.
   */
  abort(): void {
    if (!this.isSent || !this.host.live || isIdempotent(this.request.method)) return this.recall()
    this.#abort?.()
    this.failed(
      failure('AVO_ABORTED', `${this.request.method} was sent, and is not sent twice`, { sent: true, phase: 'firstByte' }),
    )
  }

  /** Ends it unsent. `by`: the plugin that says so. */
  putOff(verdict: PutOff, by?: string): void {
    this.#end({ kind: 'put-off', verdict, ...(by !== undefined && { by }) })
  }

  /** An answer that did not come from the host. */
  serve(response: Response): void {
    this.#end({ kind: 'served', response })
  }

  /** Its request, if it has one, goes back to the queue of its host. */
  requeue(): void {
    const { host, leased } = this
    if (leased === undefined) return
    host.unsettled--
    host.queue.add(leased, this.#now)
  }

  /** To be called in the tick in which it is written, before it is. */
  sent(): void {
    if (this.isOver || this.sentAt !== undefined) return
    const { hooks, tally, tenure } = this.#parts.run
    if (!tenure.holds) return this.recall()
    const at = (this.sentAt = this.#now)
    this.host.sent(this)
    tally.counts.requests++
    trace(hooks, 'sent', () => ({ at, exchange: traced(this) }))
  }

  headers(head: ResponseHead): BodyWish {
    if (!this.isOver) trace(this.#parts.run.hooks, 'head', () => ({ at: this.#now, exchange: traced(this), head }))
    if (this.isOver || isUnchanged(this.request, head.status)) return 'discard'
    if (!this.required && !this.saves && this.#parts.accepts(head.status)) return 'read'
    // Nothing in the body of a refusal is worth a round trip of delay.
    return isRefusal(head.status) || isRedirect(head) ? 'discard' : 'read'
  }

  /** Whether the spider sees it: a status that it wants, or that the page is as it was. */
  isPage({ status, saved }: Response): boolean {
    if (this.required) return false
    // What a spider accepts beside them, such as 404, is no file.
    if (this.saves && !isUnchanged(this.request, status)) return saved !== undefined || (status >= 200 && status <= 299)
    return this.#parts.accepts(status) || isUnchanged(this.request, status)
  }

  done(response: Response): void {
    this.#end({ kind: 'answered', response })
  }

  failed(cause: Failure): void {
    this.#end({ kind: 'failed', failure: cause })
  }

  get #now(): number {
    return this.#parts.run.settings.clock.now()
  }

  #end(end: ExchangeEnd): void {
    if (this.isOver) return
    this.isOver = true
    if (end.kind === 'recalled' || end.kind === 'put-off') this.#abort?.()
    this.#parts.ended(this, end)
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
