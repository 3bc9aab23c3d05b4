// One exchange on the wire: undici's dispatch handler on one side, the port's receiver on the other, and the limits between them.
//
// connecting ─▶ waiting ─▶ reading ─▶ decoding ─▶ over      an error, a limit or an abort leads from anywhere to over,
//                  └──────▶ draining ────────────▶ over     and in `over` nothing is passed to the receiver any more.
//
// Reading, decoding and handing over may each have to wait for room in the byte budget, or for whoever saves the body. No limit of the host's runs meanwhile,
// nor is what becomes of a connection that we let wait its fault.
//
// undici calls `onRequestStart` in the tick in which it writes the request, and before it does (client-h1.js, writeH1), so that is `sent`.
// An error before it on a connection that had served others is no news about this exchange: it starts again on another connection.
// What may not be repeated gets a connection of its own: a kept one may have ended, and then nobody knows whether the server acted on it.
import { AvocetError, type Response } from '@avocet/core'
import { type Failure, type FailureCode, FAILURES, headerOf, type ResponseHead, type ResponseHeaders } from '@avocet/core/plugin'
import { failure, type FetchReceiver, messageOf, type Outbound, type Phase } from '@avocet/core/store'
import { BodyIntake, withBodyLimit, type Flow } from './body-intake.ts'
import type { BodyListener, BodyTrouble } from './body-listener.ts'
import type { Transport } from './connections.ts'
import { codingsOf } from './content-decoding.ts'
import { Deadlines } from './deadlines.ts'
import { mayBeSentTwice, type DispatchOptions } from './dispatch.ts'
import { failureCodeOf, systemErrorOf } from './failure-code.ts'
import { faultOfProxy, overrunThrough } from './proxies/proxy-connector.ts'
import { faultOfBody, faultOfHead, isBodiless, statusOfAll, withFewerCookies } from './response-head.ts'
import { SaveIntake, saverWord, type Received } from './save-intake.ts'
import { Stopwatch } from './stopwatch.ts'
import type { Watchable } from './watchdog.ts'
import type { Wire } from './wire.ts'
import { MAX_INTERIM } from './wire-tap.ts'

/** Most of an unwanted body that is read to keep its connection. */
const DRAIN_BYTES = 64 * 2 ** 10
/** Longest time in ms that this may take. */
const DRAIN_MS = 2_000
const NO_BODY = new Uint8Array(0)

/** The part of undici's controller that is used. */
interface Controller extends Flow {
  readonly rawHeaders?: { readonly length: number } | null
}

/** An exchange in flight. Its `on…` methods are undici's, everything else is the fetcher's. */
export class WireExchange implements Watchable, BodyListener {
  readonly #wire: Wire
  readonly #outbound: Outbound
  readonly #receiver: FetchReceiver
  readonly #deadlines: Deadlines
  readonly #stopwatch = new Stopwatch()
  #state: 'connecting' | 'waiting' | 'reading' | 'decoding' | 'draining' | 'over' = 'connecting'
  #dispatch: { readonly origin: string; readonly options: DispatchOptions } | undefined
  #starting = true
  #connection: Transport | undefined
  #remoteAddress: string | undefined
  #interims = 0
  #head: ResponseHead | undefined
  #codings: readonly string[] = []
  #body: BodyIntake | SaveIntake
  /** Most bytes of the body on the wire. */
  #mostBytes: number
  #wireBytes = 0
  #announcedBytes = NaN
  /** Bytes of the body that are wanted. */
  #enough = Infinity

  constructor(shared: Wire, outbound: Outbound, receiver: FetchReceiver) {
    const wire = (this.#wire = withBodyLimit(shared, outbound.maxBodyBytes))
    this.#outbound = outbound
    this.#receiver = receiver
    this.#deadlines = new Deadlines(outbound.limits, wire.clock.monotonic(), wire.windowMs)
    this.#mostBytes = wire.limits.maxWireBytes
    this.#body = new BodyIntake(wire, this)
  }

  /** Starts. Nothing is said to the receiver before this has returned. */
  begin(origin: string, options: DispatchOptions): void {
    this.#dispatch = { origin, options }
    this.#wire.watchdog.watch(this)
    this.#connect()
    this.#starting = false
  }

  abort(): void {
    if (this.#state === 'draining' || this.#state === 'over') return
    this.#end()
  }

  /** Ends with a failure, unless it is over; also where it has not begun. */
  fail(code: FailureCode, message: string, details: Partial<Pick<Failure, 'blame' | 'phase' | 'cause' | 'address'>> = {}): void {
    if (this.#starting)
      return queueMicrotask(() => {
        this.#starting = false
        this.fail(code, message, details)
      })
    if (this.#state === 'draining' || this.#state === 'over') return
    const phase = details.phase ?? this.#phase
    this.#end()
    const { isSent, partial: timings } = this.#stopwatch
    const told = { wireBytes: this.#wireBytes, ...(timings && { timings }) }
    this.#receiver.failed(failure(code, message, { ...details, phase, sent: isSent && code !== 'AVO_PROXY_AUTH', ...told }))
  }

  /** Time that we took ourselves counts in none of the server's limits. */
  waited(ms: number): void {
    this.#deadlines.waited(ms)
    this.#stopwatch.waited(ms)
  }

  paused(ms: number): void {
    this.#deadlines.waited(ms)
  }

  failed({ code, message, blame, cause }: BodyTrouble): void {
    this.fail(code, message, { ...(blame && { blame }), phase: 'body', cause })
  }

  get dueAt(): number {
    return this.#body.isWaiting ? this.#body.waitIsDueAt : this.#deadlines.dueAt
  }

  overdue(now: number): void {
    if (this.#state === 'draining') return this.#end()
    if (this.#body.isWaiting) return this.#body.overdue()
    const late = this.#deadlines.overrun(now, this.#connection?.stage ?? 'connect')
    const overrun = overrunThrough(this.#outbound.proxy, this.#connection?.through, late)
    if (overrun !== undefined) this.fail(overrun.code, overrun.message, { phase: overrun.phase })
  }

  cancel(): void {
    if (this.#state === 'draining') this.#end()
    else this.fail('AVO_ABORTED', 'the fetcher was closed')
  }

  onRequestStart(): void {
    if (this.#state !== 'connecting') return
    const now = this.#wire.clock.monotonic()
    this.#state = 'waiting'
    this.#stopwatch.sent(now, this.#connection?.takeConnectMs())
    this.#remoteAddress = this.#connection?.remoteAddress
    this.#connection?.tap?.expectAnswer(this.#wire.connections.isOdd(this.#connection))
    this.#deadlines.sent(now)
    this.#receiver.sent()
  }

  onResponseStart(controller: Controller, status: number, headers: ResponseHeaders): void {
    if (this.#state !== 'waiting') return
    if (status < 200) return this.#interim()
    const now = this.#wire.clock.monotonic()
    this.#state = 'reading'
    this.#stopwatch.answered(now)
    this.#deadlines.answered(now)
    const rangeAsked = this.#outbound.headers['range'] !== undefined
    const asked = { status: rangeAsked ? status : statusOfAll(status, headers), headers }
    const head = (this.#head = withFewerCookies(asked))

    const fields = (controller.rawHeaders?.length ?? 0) / 2
    const fault = faultOfProxy(this.#outbound, status) ?? faultOfHead(asked, { fields, rangeAsked })
    if (fault !== undefined) return this.fail(fault.code, fault.message, { phase: 'firstByte' })

    const wish = this.#receiver.headers(head) // Which may have aborted.
    if (this.#state !== 'reading') return
    if (wish === 'discard') this.#discard(head, now)
    else this.#expectBody(head)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#state === 'over') return
    this.#connection?.tap?.bodyCame(chunk.length)
    this.#wireBytes += chunk.length
    if (this.#state === 'draining') return this.#wireBytes > DRAIN_BYTES ? this.#end() : undefined
    const isEnough = this.#wireBytes > this.#enough
    if (!isEnough && this.#wireBytes > this.#mostBytes)
      return this.fail('AVO_BODY_TOO_LARGE', `more than ${this.#mostBytes} bytes of body`)
    this.#body.add(chunk)
    if (isEnough) return this.#cut()
    // Whole: its end comes in this tick. A server that closes now would be met by a parser that is paused, and the body would count as cut short.
    if (this.#wireBytes === this.#announcedBytes) return
    this.#body.hold(controller, chunk.length)
    this.#deadlines.bodyCame(chunk.length, this.#wire.readTurns.now)
  }

  onResponseEnd(): void {
    if (this.#state === 'over' || this.#connection === undefined) return
    const { broken } = this.#connection.tap ?? {}
    if (broken !== undefined && this.#body instanceof SaveIntake && this.#body.endsWithConnection)
      return this.onResponseError(null, broken)
    this.#wire.connections.release(this.#connection)
    this.#connection = undefined
    if (this.#state === 'draining') return this.#end()

    this.#body.waitNoMore()
    this.#stopwatch.received(this.#wire.clock.monotonic())
    this.#state = 'decoding'
    this.#deadlines.received()
    this.#body.complete(this.#codings, (decoded: Received) => {
      if (decoded.code === undefined) this.#answer(decoded)
      else this.failed(decoded)
    })
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (this.#state === 'draining') return this.#end()
    if (this.#state === 'over') return
    const connection = this.#connection
    const place = { phase: this.#phase, stale: this.#isStale }
    const code = failureCodeOf(error, place)
    if (code === 'AVO_PROTOCOL' && connection !== undefined) this.#wire.connections.foundOdd(connection)
    if (connection !== undefined && this.#wire.connections.startsAgain(connection, { code, phase: place.phase }, this.#outbound))
      return this.#connect()
    // The next attempt must meet a fresh socket: on another kept one a host that fails every time would look stale for ever.
    if (code === 'AVO_STALE_SOCKET' && connection !== undefined) this.#wire.connections.retireIdle(connection.key)
    // Sockets that we hold without use may be what is lacking.
    if (code === 'AVO_LOCAL_RESOURCES') this.#wire.connections.retireIdle()
    const impatience = place.phase === 'body' ? this.#body.lostPatience(error) : undefined
    if (impatience !== undefined) return this.failed(impatience)
    const message = error instanceof AvocetError ? error.message : `${FAILURES[code].summary} (${messageOf(error)})`
    const { address } = systemErrorOf(error)
    this.fail(code, message, { cause: error, ...(address !== undefined && { address }) })
  }

  /** Phase of a failure now. `send` = on a connection that stands, before anything was written. */
  get #phase(): Phase {
    if (this.#state === 'connecting') return this.#connection?.stage ?? 'send'
    return this.#state === 'waiting' ? 'firstByte' : 'body'
  }

  get #isStale(): boolean {
    if (this.#state !== 'waiting' || !mayBeSentTwice(this.#outbound.method)) return false
    return this.#connection?.tap?.received === 0 && this.#stopwatch.isStale(this.#wire.clock.monotonic())
  }

  #connect(): void {
    if (this.#dispatch === undefined) return
    const { connections } = this.#wire
    this.#connection = connections.acquire(this.#dispatch.origin, this.#outbound)
    this.#connection.client.dispatch(this.#dispatch.options, this)
  }

  #interim(): void {
    this.#interims += 1
    if (this.#interims > MAX_INTERIM) this.fail('AVO_INTERIM_FLOOD', `more than ${MAX_INTERIM} interim responses`)
  }

  #expectBody(head: ResponseHead): void {
    const { method, save, keepBytes = Infinity } = this.#outbound
    if (isBodiless(method, head.status)) return
    const word = saverWord(save, head)
    if (typeof word === 'object') return this.failed(word)
    if (save !== undefined && word === 'save') {
      // As it comes, from its first piece on.
      this.#body = new SaveIntake({ saver: save, head }, this.#wire, this)
      this.#mostBytes = save.maxBytes
      this.#deadlines.saves()
    } else this.#codings = codingsOf(head.headers['content-encoding'])
    if (word === 'read' && this.#codings.length === 0) this.#enough = keepBytes
    this.#announcedBytes = Number(headerOf(head.headers, 'content-length') ?? NaN)
    const [announced, most] = [this.#announcedBytes, this.#enough === Infinity ? this.#mostBytes : Infinity]
    const fault = faultOfBody({ announced, most, codings: this.#codings })
    if (fault !== undefined) this.fail(fault.code, fault.message)
  }

  #discard(head: ResponseHead, now: number): void {
    // Its end comes in this tick, and the connection is free before the answer is passed on.
    if (isBodiless(this.#outbound.method, head.status)) return
    this.#state = 'draining'
    this.#stopwatch.received(now)
    this.#deadlines.drains(now + DRAIN_MS)
    if (Number(headerOf(head.headers, 'content-length') ?? 0) > DRAIN_BYTES) this.#end()
    this.#tell({ body: NO_BODY })
  }

  /** Enough of the body is there: it is the answer, and the connection is given up with the rest. */
  #cut(): void {
    this.#stopwatch.received(this.#wire.clock.monotonic())
    if (this.#body instanceof BodyIntake) this.#answer({ body: this.#body.first(this.#enough) })
  }

  #answer(received: Pick<Response, 'body' | 'saved'>): void {
    this.#body.handOver(() => {
      this.#end()
      this.#tell(received)
    })
  }

  #tell({ body, saved }: Pick<Response, 'body' | 'saved'>): void {
    if (this.#head === undefined) return
    const [{ url }, remoteAddress] = [this.#outbound, this.#remoteAddress]
    const came = { body, saved, wireBytes: this.#wireBytes, timings: this.#stopwatch.whole }
    this.#receiver.done({ url, status: this.#head.status, headers: this.#head.headers, remoteAddress, ...came })
  }

  /** Nothing is said any more. A connection that is still ours is in an unknown state, and closed. */
  #end(): void {
    this.#state = 'over'
    this.#wire.watchdog.unwatch(this)
    this.#body.end()
    if (this.#connection !== undefined) this.#wire.connections.retire(this.#connection)
    this.#connection = undefined
  }
}
