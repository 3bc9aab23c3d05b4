// One exchange on the simulated web: connect, send, headers, body, each at its virtual moment and each under its limit.
//
// Nothing here polls. Every phase knows when it would end and when its limits would be exceeded; only the earlier of the two is scheduled,
// so an exchange costs at most one wake a phase. Within a moment a limit comes after what it limits: what takes exactly as long as it may
// is in time.
import type { Response } from '@avocet/core'
import { formatDuration, type BodySaver, type Failure, type FailureCode } from '@avocet/core/plugin'
import { failure } from '@avocet/core/store'
import type { Clock, FetchReceiver, Outbound, Phase, SizeLimits, Timings } from '@avocet/core/store'
import { PATIENT_MS, type FeltEnd, type FeltEntry } from '../felt.ts'
import { DRIP_BYTES_PER_SECOND, ENDLESS_BYTES_PER_SECOND, type Reception } from '../site-model/host-life.ts'
import type { ClientOutage, DeathStyle } from '../site-model/host-spec.ts'
import type { SitePage } from '../site-model/site.ts'
import type { SimulatedHost } from './simulated-host.ts'
import { bodyMsOf, troubleOf, wantedPart, type BodyFlow, type FlowTrouble } from './body-flow.ts'
import { SimulatedSave } from './simulated-save.ts'

/** The stub resolver of glibc gives up after two rounds of five seconds. */
const NAME_SERVER_MS = 10_000
const EMPTY = new Uint8Array()
const UNANSWERED: Reception = { kind: 'serve', latencyMs: Infinity }

/** What an exchange needs of its web. */
export interface SimulatedGround {
  readonly clock: Clock
  readonly sizeLimits: SizeLimits
  /** How the client's own network is down at `now`; undefined = it is not. */
  outageAt(now: number): ClientOutage | undefined
  /** Ms from `now` to the end of `outage`. */
  restOf(outage: ClientOutage, now: number): number
  /** Called once, when the exchange is over however it ended. */
  over(exchange: SimulatedExchange): void
}

/** An exchange in flight. */
export class SimulatedExchange {
  readonly #ground: SimulatedGround
  readonly #host: SimulatedHost
  readonly #outbound: Outbound
  readonly #receiver: FetchReceiver
  readonly #path: string
  readonly #startedAt: number
  #timings: { connectMs?: number; firstByteMs: number; bodyMs: number; reusedSocket: boolean } = {
    firstByteMs: 0,
    bodyMs: 0,
    reusedSocket: false,
  }
  #sentAt = 0
  #next: Disposable | undefined
  #save: SimulatedSave | undefined
  #felt: FeltEntry | undefined
  #isOver = false
  /** Ms from the beginning after which it would be over if nobody gave up; Infinity = never, or nobody knows. */
  #wouldTakeMs = Infinity

  constructor(ground: SimulatedGround, host: SimulatedHost, call: { outbound: Outbound; receiver: FetchReceiver; path: string }) {
    this.#ground = ground
    this.#host = host
    this.#outbound = call.outbound
    this.#receiver = call.receiver
    this.#path = call.path
    this.#startedAt = ground.clock.now()
    this.#connect()
  }

  /** Ends it without another word. */
  abort(): void {
    if (this.#isOver) return
    this.#save?.abort()
    this.#finish('failed')
  }

  #connect(): void {
    const host = this.#host
    const death = host.deathAt(this.#startedAt)
    const outage = this.#ground.outageAt(this.#startedAt)
    host.felt.attempt(death !== undefined)
    if (outage?.style === 'unreachable') return this.#failIn(host.connectMs, 'AVO_NETWORK_DOWN', 'connect', 'there is no network')
    if (outage?.style === 'no-route' || death === 'no-route')
      return this.#failIn(host.connectMs, 'AVO_UNREACHABLE', 'connect', `no route to ${host.name}`)
    if (death === 'dns-not-found') {
      return this.#failIn(host.connectMs, 'AVO_DNS_NOT_FOUND', 'dns', `there is no host ${host.name}`)
    }
    const { connectMs, totalMs } = this.#outbound.limits
    if (death === 'dns-failed' && NAME_SERVER_MS <= Math.min(connectMs, totalMs)) {
      return this.#failIn(NAME_SERVER_MS, 'AVO_DNS_FAILED', 'dns', `the name server of ${host.name} gives no answer`)
    }
    if (death === 'refuse') {
      return this.#failIn(host.connectMs, 'AVO_CONNECT_REFUSED', 'connect', `nobody listens at ${host.name}`)
    }
    const isSilent = death === 'blackhole' || death === 'dns-failed'
    const reused = !isSilent && outage === undefined && host.takeSocket()
    const delayMs = outage?.style === 'blackhole' ? this.#ground.restOf(outage, this.#startedAt) : 0
    const takesMs = isSilent ? Infinity : reused ? 0 : delayMs + host.connectMs
    if (takesMs > Math.min(connectMs, totalMs)) {
      if (connectMs <= totalMs)
        return this.#failIn(connectMs, 'AVO_CONNECT_TIMEOUT', 'connect', `no connection within ${formatDuration(connectMs)}`)
      return this.#failIn(totalMs, 'AVO_TOTAL_TIMEOUT', 'connect', `not over within ${formatDuration(totalMs)}`)
    }
    const isDoubted = outage?.style === 'certificate' && this.#outbound.url.startsWith('https:')
    if (death === 'tls-certificate' || isDoubted)
      return this.#failIn(takesMs, 'AVO_TLS_CERTIFICATE', 'tls', `the certificate is not for ${host.name}`)
    if (reused) this.#timings.reusedSocket = true
    else this.#timings.connectMs = takesMs
    this.#in(takesMs, () => this.#send(death))
  }

  #send(death: DeathStyle | undefined): void {
    this.#sentAt = this.#ground.clock.now()
    this.#felt = this.#host.felt.begin(this.#path, this.#sentAt)
    this.#receiver.sent()
    // The receiver may have aborted.
    if (this.#isOver) return
    const { firstByteMs } = this.#outbound.limits
    const restMs = this.#restMs()
    const reception = death === 'hang' ? UNANSWERED : this.#host.receive(this.#sentAt)
    const answerMs = this.#answerMs(reception.latencyMs)
    this.#wouldTakeMs = this.#foreseen(reception, death)
    if (answerMs > Math.min(firstByteMs, restMs)) {
      if (firstByteMs <= restMs) {
        return this.#failIn(firstByteMs, 'AVO_FIRST_BYTE_TIMEOUT', 'firstByte', `no answer within ${formatDuration(firstByteMs)}`)
      }
      return this.#failIn(
        restMs,
        'AVO_TOTAL_TIMEOUT',
        'firstByte',
        `not over within ${formatDuration(this.#outbound.limits.totalMs)}`,
      )
    }
    if (death === 'reset') return this.#failIn(answerMs, 'AVO_RESET', 'firstByte', 'the server reset the connection')
    this.#in(answerMs, () => this.#answer(reception, death))
  }

  /** An answer that would come while the client's network is down comes when it is up again. */
  #answerMs(latencyMs: number): number {
    const arrivesAt = this.#sentAt + latencyMs
    const outage = this.#ground.outageAt(arrivesAt)
    if (outage === undefined || outage.style === 'certificate') return latencyMs
    return latencyMs + this.#ground.restOf(outage, arrivesAt)
  }

  #foreseen(reception: Reception, death: DeathStyle | undefined): number {
    if (death !== undefined) return Infinity
    const { bytesPerSecond } = this.#host
    // The page is looked at only when its size matters: making one costs more than all else here.
    const bytes = bytesPerSecond === Infinity || reception.kind !== 'serve' ? 0 : this.#page().body.byteLength
    return this.#sentAt - this.#startedAt + reception.latencyMs + (bytes / bytesPerSecond) * 1_000
  }

  /** As it was when the request arrived. */
  #page(): SitePage {
    return this.#host.page(this.#path, { now: this.#sentAt, headers: this.#outbound.headers })
  }

  #flow(reception: Reception, death: DeathStyle | undefined): BodyFlow {
    if (reception.kind !== 'serve') {
      const page = { status: reception.status, headers: reception.headers, body: EMPTY }
      return {
        page,
        bytes: 0,
        bytesPerSecond: Infinity,
        cutShort: false,
        end: reception.kind === 'refuse' ? 'refused' : 'banned',
      }
    }
    const found = this.#page()
    const page = reception.headers === undefined ? found : { ...found, headers: { ...found.headers, ...reception.headers } }
    const whole = this.#outbound.method === 'HEAD' ? 0 : page.body.byteLength
    const bytesPerSecond = this.#host.bytesPerSecond
    if (death === 'truncate') return { page, bytes: Math.floor(whole / 2), bytesPerSecond, cutShort: whole > 0, end: 'failed' }
    if (death === 'stall') return { page, bytes: whole, bytesPerSecond: 0, cutShort: false, end: 'failed' }
    if (death === 'drip') return { page, bytes: whole, bytesPerSecond: DRIP_BYTES_PER_SECOND, cutShort: false, end: 'served' }
    if (death === 'endless') {
      return { page, bytes: Infinity, bytesPerSecond: ENDLESS_BYTES_PER_SECOND, cutShort: false, end: 'failed' }
    }
    return { page, bytes: whole, bytesPerSecond, cutShort: false, end: 'served' }
  }

  #answer(reception: Reception, death: DeathStyle | undefined): void {
    const whole = this.#flow(reception, death)
    if (reception.kind !== 'serve' && reception.restMs !== undefined)
      this.#host.felt.rest(this.#ground.clock.now() + reception.restMs)
    const { status, headers } = whole.page
    this.#timings.firstByteMs = this.#ground.clock.now() - this.#sentAt
    if (this.#felt !== undefined) this.#felt.status = status
    const wish = this.#receiver.headers({ status, headers })
    if (this.#isOver) return
    if (wish === 'discard') return this.#done(whole, { body: EMPTY, wireBytes: 0 })
    const { save, method } = this.#outbound
    const word =
      save === undefined || status < 200 || status > 299 || method === 'HEAD' ? 'read' : save.accepts({ status, headers })
    if (typeof word === 'object') return this.#failAs(word, 0)
    if (save !== undefined && word === 'save') return this.#saveTo(save, whole)
    const flow = wantedPart(whole, this.#outbound.keepBytes ?? Infinity)
    // The usual case: nothing can go wrong in no time.
    if (flow.bytesPerSecond === Infinity && flow.bytes <= this.#ground.sizeLimits.maxWireBytes) return this.#endBody(flow)
    const { limits } = this.#outbound
    const trouble = troubleOf(flow, { ...limits, restMs: this.#restMs(), most: this.#ground.sizeLimits.maxWireBytes })
    if (trouble !== undefined) return this.#failIn(trouble.inMs, trouble.code, 'body', trouble.message, trouble.wireBytes)
    const bodyMs = bodyMsOf(flow)
    if (bodyMs === 0) return this.#endBody(flow)
    this.#in(bodyMs, () => this.#endBody(flow))
  }

  #saveTo(saver: BodySaver, flow: BodyFlow): void {
    const announced = Number(flow.page.headers['content-length'] ?? 0)
    if (announced > saver.maxBytes) {
      saver.abort()
      return this.#fail('AVO_BODY_TOO_LARGE', 'body', `${String(announced)} bytes were announced`)
    }
    const trouble =
      troubleOf(flow, { ...this.#outbound.limits, restMs: Infinity, most: saver.maxBytes }) ??
      (flow.cutShort ? cutShort(flow) : undefined)
    const { wireBytes: bytes, inMs: troubleInMs } = trouble ?? { wireBytes: flow.bytes, inMs: Infinity }
    const { clock } = this.#ground
    const saved = { saver, body: flow.page.body, bytes, bytesPerSecond: flow.bytesPerSecond, troubleInMs }
    this.#save = new SimulatedSave(clock, saved, {
      complete: () => (this.#timings.bodyMs = clock.now() - this.#sentAt - this.#timings.firstByteMs),
      saved: (saved) => this.#done(flow, { body: EMPTY, wireBytes: bytes, saved }),
      trouble: () => trouble && this.#fail(trouble.code, 'body', trouble.message, trouble.wireBytes),
      failed: (failed) => this.#failAs(failed, bytes),
    })
    this.#save.begin()
  }

  /** As a saver says. */
  #failAs({ code, message, blame }: Failure, wireBytes: number): void {
    this.#finish('failed')
    this.#receiver.failed(failure(code, message, { blame, phase: 'body', sent: true, wireBytes, timings: this.#timings }))
  }

  #endBody(flow: BodyFlow): void {
    this.#timings.bodyMs = this.#ground.clock.now() - this.#sentAt - this.#timings.firstByteMs
    if (!flow.cutShort) return this.#done(flow, { body: flow.bytes === 0 ? EMPTY : flow.page.body, wireBytes: flow.bytes })
    this.#fail('AVO_TRUNCATED', 'body', cutShort(flow).message, flow.bytes)
  }

  #done(flow: BodyFlow, came: Pick<Response, 'body' | 'wireBytes' | 'saved'>): void {
    const { status, headers } = flow.page
    if (flow.end !== 'failed') this.#host.giveSocket()
    this.#finish(flow.end)
    const remoteAddress = this.#outbound.proxy === undefined ? this.#host.spec.address : undefined
    this.#receiver.done({ url: this.#outbound.url, status, headers, timings: this.#timings, remoteAddress, ...came })
  }

  #failIn(delayMs: number, code: FailureCode, phase: Phase, message: string, wireBytes?: number): void {
    this.#in(delayMs, () => this.#fail(code, phase, message, wireBytes))
  }

  #fail(code: FailureCode, phase: Phase, message: string, wireBytes = 0): void {
    const sent = this.#felt !== undefined
    const timings: Partial<Timings> = sent ? this.#timings : {}
    // A limit of the client's, and the answer was on its way.
    if (this.#wouldTakeMs <= PATIENT_MS && (code.endsWith('_TIMEOUT') || code === 'AVO_TOO_SLOW')) this.#host.felt.falseTimeouts++
    const failed: Failure = failure(code, `${message} (${this.#outbound.url})`, { phase, sent, wireBytes, timings })
    this.#finish('failed')
    this.#receiver.failed(failed)
  }

  #finish(how: FeltEnd): void {
    this.#isOver = true
    this.#next?.[Symbol.dispose]()
    const { felt } = this.#host
    const now = this.#ground.clock.now()
    // What came before the request took of the slot too.
    felt.slotMs[how] += (this.#felt === undefined ? now : this.#sentAt) - this.#startedAt
    if (this.#felt !== undefined) felt.end(this.#felt, how, now)
    this.#ground.over(this)
  }

  #in(delayMs: number, step: () => void): void {
    this.#next = this.#ground.clock.at(this.#ground.clock.now() + delayMs, step)
  }

  #restMs(): number {
    return this.#startedAt + this.#outbound.limits.totalMs - this.#ground.clock.now()
  }
}

function cutShort(flow: BodyFlow): FlowTrouble {
  const message = `${String(flow.page.body.byteLength)} bytes were announced, ${String(flow.bytes)} came`
  return { inMs: bodyMsOf(flow), code: 'AVO_TRUNCATED', message, wireBytes: flow.bytes }
}
