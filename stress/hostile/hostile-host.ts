// One host of a hostile web: plays its row on each connection, and counts what it was asked.
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls'
import type { Clock } from '@avocet/core/store'
import { RAW_NOT_FOUND } from './answers.ts'
import type { Certificate } from './certificates.ts'
import type { HostileAnswer, HostileRow, World } from './hostile-row.ts'
import { playHttp2 } from './http2-line.ts'
import { Line } from './line.ts'

/** The value of the header that a crawl of a hostile web is given to keep. */
export const SECRET = 'kept-between-us'
/** First byte of a TLS handshake record (RFC 8446 §5.1). */
const HANDSHAKE = 0x16
/** Longest head that is listened to. */
const MAX_HEAD_BYTES = 65_536

/** What a host was asked. */
export interface HostileFelt {
  readonly connections: number
  /** robots.txt included. */
  readonly requests: number
  /** Requests for what the row says must never be asked for. */
  readonly forbidden: number
  /** Requests that carried the secret and should not have. */
  readonly leaked: number
}

/** One host. */
export class HostileHost {
  readonly row: HostileRow
  readonly world: World
  readonly #clock: Clock
  readonly #context: SecureContext | undefined
  #connections = 0
  #requests = 0
  #pages = 0
  #forbidden = 0
  #leaked = 0

  constructor(row: HostileRow, world: World, { clock, certificate }: { clock: Clock; certificate: Certificate | undefined }) {
    this.row = row
    this.world = world
    this.#clock = clock
    this.#context = certificate && createSecureContext({ ...certificate })
  }

  get felt(): HostileFelt {
    return { connections: this.#connections, requests: this.#requests, forbidden: this.#forbidden, leaked: this.#leaked }
  }

  /** Takes a connection. */
  meet(socket: Socket): void {
    this.#connections += 1
    if (this.#context === undefined) return this.#play(socket, socket)
    if (this.row.tls !== 'plain-too') return this.#handshake(socket)
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null
      if (first === null) return
      socket.unshift(first)
      if (first[0] === HANDSHAKE) this.#handshake(socket)
      else this.#play(socket, socket)
    })
  }

  #handshake(socket: Socket): void {
    const { http2 } = this.row
    const versions = http2?.speaks === 'only' ? ['h2'] : ['h2', 'http/1.1']
    const secure = new TLSSocket(socket, {
      isServer: true,
      ...(this.#context && { secureContext: this.#context }),
      ...(http2 && { ALPNProtocols: versions }),
    })
    secure.on('error', () => socket.destroy())
    secure.once('secure', () => {
      if (http2 === undefined || secure.alpnProtocol !== 'h2') return this.#play(secure, socket)
      const line = new Line(secure, socket, { connection: this.#connections, clock: this.#clock })
      playHttp2(http2, { stream: secure, line }, () => (this.#requests += 1))
    })
  }

  #play(stream: Duplex, socket: Socket): void {
    const { play } = this.row
    if (typeof play === 'string') return
    const line = new Line(stream, socket, { connection: this.#connections, clock: this.#clock })
    stream.on('end', () => {
      if (stream.writable) stream.end()
    })
    let head = ''
    stream.on('data', (chunk: Buffer) => {
      head = (head + chunk.toString('latin1')).slice(-MAX_HEAD_BYTES)
      for (let end = head.indexOf('\r\n\r\n'); end >= 0; end = head.indexOf('\r\n\r\n')) {
        const request = head.slice(0, end)
        head = head.slice(end + 4)
        this.#answer(request, line)
      }
    })
    play.accept?.(line, this.world)
  }

  #answer(head: string, line: Line): void {
    this.#requests += 1
    const { play, expected } = this.row
    if (typeof play === 'string') return
    const [method = '', path = ''] = head.split(' ', 2)
    if (expected.never?.test(path) === true) this.#forbidden += 1
    if (expected.secretFor === 'https' && !line.secure && head.includes(SECRET)) this.#leaked += 1
    const ofRobots = path === '/robots.txt' && play.robots !== 'as-page'
    if (!ofRobots) this.#pages += 1
    const answer = ofRobots ? robotsOf(play.robots) : play.answer
    answer?.({ method, path, head, nth: this.#pages, world: this.world }, line)
  }
}

function robotsOf(robots: HostileAnswer | 'as-page' | undefined): HostileAnswer {
  return typeof robots === 'function' ? robots : (_asked, line) => void line.write(RAW_NOT_FOUND)
}
