// One exchange on the simulated web: connect, send, headers, body, each at its virtual moment and each under its limit.
//
// Nothing here polls. Every phase knows when it would end and when its limits would be exceeded; only the earlier of the two is scheduled,
// so an exchange costs at most one wake a phase. Within a moment a limit comes after what it limits: what takes exactly as long as it may
// is in time.
import { formatDuration, type Failure, type FailureCode } from '@avocet/core/plugin'
import {
  failure,
  type Clock,
  type FetchReceiver,
  type Outbound,
  type Phase,
  type SizeLimits,
  type Timings,
} from '@avocet/core/store'
import { PATIENT_MS, type FeltEnd, type FeltEntry } from '../felt.ts'
import { DRIP_BYTES_PER_SECOND, ENDLESS_BYTES_PER_SECOND, type Reception } from '../site-model/host-life.ts'
import type { ClientOutage, DeathStyle } from '../site-model/host-spec.ts'
import type { SitePage } from '../site-model/site-page.ts'
import type { SimulatedHost } from './simulated-host.ts'

/** The minimum throughput is an average over this time (port `TimeLimits`). */
const THROUGHPUT_WINDOW_MS = 30_000
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

/** A body that is being received. */
interface Flow {
  readonly page: SitePage
  /** Bytes that come, at this throughput; fewer than announced when it is cut short. */
  readonly bytes: number
  readonly bytesPerSecond: number
  readonly cutShort: boolean
  readonly end: FeltEnd
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

  #flow(reception: Reception, death: DeathStyle | undefined): Flow {
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
    if (wish === 'discard') return this.#done(whole, EMPTY, 0)
    const flow = wantedPart(whole, this.#outbound.keepBytes ?? Infinity)
    // The usual case: nothing can go wrong in no time.
    if (flow.bytesPerSecond === Infinity && flow.bytes <= this.#ground.sizeLimits.maxWireBytes) return this.#endBody(flow)
    const bodyMs = flow.bytes === 0 ? 0 : (flow.bytes / flow.bytesPerSecond) * 1_000
    const trouble = this.#bodyTrouble(flow, bodyMs)
    if (trouble !== undefined) return this.#failIn(trouble.inMs, trouble.code, 'body', trouble.message, trouble.wireBytes)
    if (bodyMs === 0) return this.#endBody(flow)
    this.#in(bodyMs, () => this.#endBody(flow))
  }

  #endBody(flow: Flow): void {
    this.#timings.bodyMs = this.#ground.clock.now() - this.#sentAt - this.#timings.firstByteMs
    if (!flow.cutShort) return this.#done(flow, flow.bytes === 0 ? EMPTY : flow.page.body, flow.bytes)
    const announced = flow.page.body.byteLength
    this.#fail('AVO_TRUNCATED', 'body', `${String(announced)} bytes were announced, ${String(flow.bytes)} came`, flow.bytes)
  }

  /** The limit that the body will exceed first, if it exceeds one before it ends. */
  #bodyTrouble(flow: Flow, bodyMs: number): { inMs: number; code: FailureCode; message: string; wireBytes: number } | undefined {
    const { idleMs, totalMs, minBytesPerSecond } = this.#outbound.limits
    const { maxWireBytes } = this.#ground.sizeLimits
    const perSecond = flow.bytesPerSecond
    const pauseMs = 1_000 / perSecond
    const troubles: { inMs: number; code: FailureCode; message: string }[] = [
      { inMs: this.#restMs(), code: 'AVO_TOTAL_TIMEOUT', message: `not over within ${formatDuration(totalMs)}` },
    ]
    if (pauseMs > idleMs)
      troubles.push({ inMs: idleMs, code: 'AVO_IDLE_TIMEOUT', message: `no byte for ${formatDuration(idleMs)}` })
    if (perSecond < minBytesPerSecond) {
      const message = `${String(perSecond)} bytes a second came, ${String(minBytesPerSecond)} are the least`
      troubles.push({ inMs: THROUGHPUT_WINDOW_MS, code: 'AVO_TOO_SLOW', message })
    }
    if (flow.bytes > maxWireBytes) {
      const message = `more than ${String(maxWireBytes)} bytes came`
      troubles.push({ inMs: (maxWireBytes / perSecond) * 1_000, code: 'AVO_BODY_TOO_LARGE', message })
    }
    const first = troubles.reduce((a, b) => (b.inMs < a.inMs ? b : a))
    if (first.inMs >= bodyMs && first.code !== 'AVO_BODY_TOO_LARGE') return undefined
    const wireBytes = first.code === 'AVO_BODY_TOO_LARGE' ? maxWireBytes : Math.floor((first.inMs / 1_000) * perSecond)
    return { ...first, wireBytes }
  }

  #done(flow: Flow, body: Uint8Array, wireBytes: number): void {
    const { status, headers } = flow.page
    if (flow.end !== 'failed') this.#host.giveSocket()
    this.#finish(flow.end)
    this.#receiver.done({ url: this.#outbound.url, status, headers, body, wireBytes, timings: this.#timings })
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

/** Of a body that is longer than what is wanted of it only that part; the client hangs up on the rest. */
function wantedPart(flow: Flow, keepBytes: number): Flow {
  if (flow.bytes <= keepBytes) return flow
  const body = flow.page.body.subarray(0, keepBytes)
  return { ...flow, page: { ...flow.page, body }, bytes: keepBytes, cutShort: false, end: 'failed' }
}
