// A host of the rough web: answers, refuses and dies over real HTTP as its description says, and keeps what it felt.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@avocet/core/store'
import type { DeathStyle, HostSpec, SiteModel, SitePage } from '@avocet/simulator'
import { FeltRecorder, PATIENT_MS, type FeltEnd, type FeltEntry } from '../../packages/simulator/src/felt.ts'
import {
  DRIP_BYTES_PER_SECOND,
  ENDLESS_BYTES_PER_SECOND,
  HostLife,
  type Reception,
} from '../../packages/simulator/src/site-model/host-life.ts'
import { asAsked, NOT_FOUND } from '../../packages/simulator/src/site-model/site.ts'

/** Called for each request when it ends. `agent`: its user-agent, empty where it has none. */
export type RequestLog = (host: string, entry: FeltEntry, agent: string) => void

/** Deaths in which a request gets no answer at all. */
const SILENT: ReadonlySet<DeathStyle> = new Set<DeathStyle>(['hang', 'blackhole', 'refuse', 'no-route', 'tls-certificate'])

/** One host. */
export class RoughHost {
  readonly spec: HostSpec
  readonly felt: FeltRecorder = new FeltRecorder()
  readonly life: HostLife
  readonly #model: SiteModel
  readonly #startedAt: number
  readonly #clock: Clock
  readonly #log: RequestLog

  constructor(spec: HostSpec, model: SiteModel, surroundings: { clock: Clock; startedAt: number; log: RequestLog }) {
    this.spec = spec
    this.life = new HostLife(spec, model.seed, surroundings.startedAt)
    this.#model = model
    this.#startedAt = surroundings.startedAt
    this.#clock = surroundings.clock
    this.#log = surroundings.log
  }

  /** Meets one HTTP request. */
  meet(request: IncomingMessage, response: ServerResponse): void {
    const now = this.#clock.now()
    const path = request.url ?? '/'
    const death = this.life.deathAt(now)
    this.felt.attempt(death !== undefined)
    const entry = this.felt.begin(path, now)
    request.resume()
    if (death === 'refuse' || death === 'no-route' || death === 'tls-certificate') request.socket.resetAndDestroy()
    const reception = death !== undefined && SILENT.has(death) ? undefined : this.life.receive(now)
    const wake =
      reception && this.#clock.at(now + reception.latencyMs, () => this.#answer({ reception, death, entry, request, response }))
    response.once('close', () => {
      wake?.[Symbol.dispose]()
      const endedAt = this.#clock.now()
      if (!response.writableFinished && death === undefined && reception !== undefined && reception.latencyMs <= PATIENT_MS)
        this.felt.falseTimeouts++
      this.felt.end(entry, response.writableFinished ? endOf(reception) : 'failed', endedAt)
      this.#log(this.spec.name, entry, request.headers['user-agent'] ?? '')
    })
  }

  #answer(met: {
    reception: Reception
    death: DeathStyle | undefined
    entry: FeltEntry
    request: IncomingMessage
    response: ServerResponse
  }): void {
    const { reception, death, entry, request, response } = met
    if (response.destroyed) return
    if (death === 'reset') {
      request.socket.resetAndDestroy()
      return
    }
    if (reception.kind !== 'serve') {
      entry.status = reception.status
      if (reception.restMs !== undefined) this.felt.rest(this.#clock.now() + reception.restMs)
      response.writeHead(reception.status, reception.headers).end('come back later\n')
      return
    }
    const there = this.#model.page(this.spec.name, entry.path, entry.at - this.#startedAt) ?? NOT_FOUND
    const found = asAsked(there, request.headers)
    const page = { ...found, headers: { ...found.headers, ...reception.headers } }
    entry.status = page.status
    if (request.method === 'HEAD') response.writeHead(page.status, page.headers).end()
    else this.#pour(page, death, response)
  }

  #pour(page: SitePage, death: DeathStyle | undefined, response: ServerResponse): void {
    const { 'content-length': _length, ...unmeasured } = page.headers
    response.writeHead(page.status, death === 'endless' ? unmeasured : page.headers)
    const bytesPerSecond = this.spec.bytesPerSecond ?? Infinity
    const end = (): void => void response.end()
    if (death === 'stall') {
      response.flushHeaders()
    } else if (death === 'endless') {
      pour(response, { body: 'endless', bytesPerSecond: ENDLESS_BYTES_PER_SECOND, end }, this.#clock)
    } else if (death === 'drip') {
      pour(response, { body: page.body, bytesPerSecond: DRIP_BYTES_PER_SECOND, end }, this.#clock)
    } else if (death === 'truncate') {
      const half = page.body.subarray(0, page.body.byteLength >> 1)
      pour(response, { body: half, bytesPerSecond, end: () => response.socket?.destroySoon() }, this.#clock)
    } else if (bytesPerSecond === Infinity) {
      response.end(page.body)
    } else {
      pour(response, { body: page.body, bytesPerSecond, end }, this.#clock)
    }
  }
}

function endOf(reception: Reception | undefined): FeltEnd {
  if (reception?.kind === 'refuse') return 'refused'
  return reception?.kind === 'banned' ? 'banned' : 'served'
}

/** Shortest time between two pieces: below it timers cost more than they tell. */
const MIN_PIECE_MS = 20

/** What to pour: a body, or so many zero bytes a piece for ever. */
interface Pouring {
  readonly body: Uint8Array | 'endless'
  readonly bytesPerSecond: number
  /** Called when all is written; not when the client left before. */
  readonly end: () => void
}

/** Writes piece by piece. Headers must have been written. */
function pour(response: ServerResponse, { body, bytesPerSecond, end }: Pouring, clock: Clock): void {
  if (body !== 'endless' && bytesPerSecond === Infinity) {
    response.write(body, end)
    return
  }
  const pieceMs = Math.max(MIN_PIECE_MS, 1_000 / bytesPerSecond)
  const pieceBytes = Math.max(1, Math.round((bytesPerSecond * pieceMs) / 1_000))
  const endless = body === 'endless' ? new Uint8Array(pieceBytes) : undefined
  let poured = 0
  const next = (): void => {
    if (response.destroyed) return
    const piece = endless ?? (body as Uint8Array).subarray(poured, poured + pieceBytes)
    if (piece.byteLength === 0) return end()
    poured += piece.byteLength
    // A client that does not read is waited for: nothing piles up here.
    if (response.write(piece)) clock.at(clock.now() + pieceMs, next)
    else response.once('drain', () => clock.at(clock.now() + pieceMs, next))
  }
  response.flushHeaders()
  clock.at(clock.now() + pieceMs, next)
}
