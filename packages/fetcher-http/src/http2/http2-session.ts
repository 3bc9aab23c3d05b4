// One HTTP/2 connection and its streams, over node:http2.
//
// Connecting ends in one of three ways: with an error, which all that wait get; with a server that chose HTTP/1.1, and closes this connection; or with a
// session. Until its SETTINGS come one stream is sent, then as many as they allow; what waits is not sent, and goes elsewhere when the session closes.
//
// A stream that was refused, or lost without an answer, costs its host nothing: the error is AVO_STALE_SOCKET, and the crawl requests the page again at once, a
// bounded number of times. If the session never answered anything, that is over HTTP/1.1. Only where that is not spoken is the trouble told as it is.
import { AvocetError } from '@avocet/core'
import type { Clock } from '@avocet/core/store'
import { connect, type ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Attempt, Connected, Stage } from '../connector.ts'
import { MAX_HEADER_BYTES } from '../wire-tap.ts'
import type { Http2Stream, StreamLoss, StreamSession } from './http2-stream.ts'

/** Streams at once, whatever the server allows: more than any host gets in flight. */
const MAX_STREAMS = 100
/** Header fields of an answer with those of Set-Cookie, so that those over the limit are counted. */
const MAX_FIELDS = 1_010
/** Bytes of a body that come before it is read. Half a megabit per 100 ms of distance would come in the 64 KiB of the standard. */
const WINDOW_BYTES = 256 * 2 ** 10
/** Of all streams: node:http2 opens it again as data comes, read or not. */
const SESSION_WINDOW_BYTES = 2 ** 20
/** Frames that are no part of an answer, in so many ms: floods of PING and SETTINGS end here, keep-alives of a slow body do not. */
const MAX_NOISE = 200
const NOISE_MS = 10_000
/** A session that received nothing in so many ms of an exchange that was given up may be dead: it gets no others. */
const DEAD_MS = 2_000

/** Where a session leads, and how to connect there. */
export interface Http2Place {
  readonly key: string
  readonly origin: string
  readonly isProxied: boolean
  dial(connected: Connected): Attempt
}

/** Who keeps sessions. */
export interface SessionKeeper {
  readonly clock: Clock
  /** The server chose HTTP/1.1, or refuses it. */
  chose(key: string, version: 1 | 2): void
  /** A session broke: whether HTTP/1.1 is to be tried next. */
  broke(key: string): boolean
  /** A session answered. */
  works(key: string): void
  /** It has streams, or none any more. */
  turned(session: Http2Session): void
  /** Streams that a session gets before the server ends it. */
  spanOf(key: string): number
  /** A session got so many; Infinity: the server did not end it. */
  spans(key: string, streams: number): void
  /** It takes no more streams; `closed`: and has none. */
  left(session: Http2Session, closed: boolean): void
}

/** A session, open or about to be. */
export class Http2Session implements StreamSession {
  readonly key: string
  readonly #place: Http2Place
  readonly #keeper: SessionKeeper
  readonly #waiting = new Set<Http2Stream>()
  /** With the moment they began at, and the bytes that had come then. */
  readonly #open = new Map<Http2Stream, { readonly at: number; readonly bytes: number }>()
  readonly #startedAt: number
  #attempt: Attempt | undefined
  #session: ClientHttp2Session | undefined
  #socket: Socket | undefined
  #connectMs: number | undefined
  #most = MAX_STREAMS
  #isSettled = false
  #isLeaving = false
  #isOver = false
  #hasAnswered = false
  #noise = { since: 0, frames: 0 }
  #goaway: number | undefined
  #begun = 0
  /** Streams that the server takes: as many as it did before, then as GOAWAY says. */
  #span: number
  #error: Error | undefined
  #closed: (() => void)[] = []

  constructor(place: Http2Place, keeper: SessionKeeper) {
    this.key = place.key
    this.#place = place
    this.#keeper = keeper
    this.#span = keeper.spanOf(place.key)
    this.#startedAt = keeper.clock.monotonic()
    this.#attempt = place.dial((...outcome) => this.#connected(...outcome))
  }

  get stage(): Stage | undefined {
    return this.#attempt?.stage
  }

  get through(): Attempt['through'] {
    return this.#attempt?.through
  }

  get remoteAddress(): string | undefined {
    // Behind a proxy nobody tells us where the server is.
    return this.#place.isProxied ? undefined : this.#socket?.remoteAddress
  }

  get hasRoom(): boolean {
    const { size } = this.#waiting
    return !this.#isLeaving && this.#open.size + size < this.#most && this.#begun + size < this.#span
  }

  get isBusy(): boolean {
    return this.#open.size + this.#waiting.size > 0
  }

  takeConnectMs(): number | undefined {
    const connectMs = this.#connectMs
    this.#connectMs = undefined
    return connectMs
  }

  wait(stream: Http2Stream): void {
    this.#waiting.add(stream)
    if (this.#isLeaving) return this.#sendAway()
    this.#keeper.turned(this)
    this.#next()
  }

  answered(stream: Http2Stream): void {
    this.#hasAnswered = true
    this.#keeper.works(this.key)
    this.left(stream)
  }

  left(stream: Http2Stream): void {
    this.#waiting.delete(stream)
    this.#open.delete(stream)
    this.#next()
    if (this.isBusy) return
    if (this.#isLeaving) this.destroy()
    else this.#keeper.turned(this)
  }

  cancelled(stream: Http2Stream): void {
    const begun = this.#open.get(stream)
    if (begun !== undefined && this.#socket?.bytesRead === begun.bytes && this.#keeper.clock.monotonic() - begun.at >= DEAD_MS) {
      if (!this.#hasAnswered) this.#keeper.broke(this.key)
      this.leave()
    }
    this.left(stream)
    if (this.#session === undefined && !this.isBusy) this.destroy()
  }

  judge({ answered, refused, code, error = this.#error }: StreamLoss): Error & { readonly code?: string } {
    const isReset = code !== 0 && !refused && this.#goaway === undefined && this.#session?.destroyed !== true
    if (answered) {
      if (isReset || !this.#hasAnswered) this.#keeper.broke(this.key)
      return error ?? new Error(`HTTP/2: the stream ended with error code ${code}`)
    }
    const why = `HTTP/2: ${this.#why(refused, code, error)}`
    const isGoing = this.#goaway !== undefined
    const isBroken = isReset || !(this.#hasAnswered || (refused && isGoing && this.#span >= 1))
    const mayGoOn = !isBroken || this.#keeper.broke(this.key)
    return new AvocetError(mayGoOn || refused || isGoing ? 'AVO_STALE_SOCKET' : 'AVO_PROTOCOL', why, { cause: error })
  }

  leave(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#keeper.left(this, false)
    this.#sendAway()
    if (this.#open.size === 0) this.destroy()
  }

  /** Ends all of it at once. */
  destroy(done?: () => void): void {
    if (this.#isOver) return done?.()
    if (done !== undefined) this.#closed.push(done)
    this.#isLeaving = true
    this.#attempt?.socket?.destroy()
    if (this.#session === undefined) return this.#over()
    this.#session.destroy()
    // After GOAWAY the session waits for the other side to close.
    this.#socket?.destroy()
  }

  #connected(...[error, socket]: Parameters<Connected>): void {
    if (this.#isLeaving) return void socket?.destroy()
    if (error !== null) {
      this.#isLeaving = true
      for (const stream of this.#waiting) stream.fail(error)
      return this.#over()
    }
    if ((socket as TLSSocket).alpnProtocol !== 'h2') {
      this.#attempt = undefined
      this.#keeper.chose(this.key, 1)
      socket.destroy()
      return this.#over()
    }
    this.#connectMs = this.#keeper.clock.monotonic() - this.#startedAt
    this.#attempt = undefined
    this.#socket = socket
    this.#begin(socket)
    this.#next()
  }

  #begin(socket: Socket): void {
    const session = (this.#session = connect(this.#place.origin, {
      createConnection: () => socket,
      maxHeaderListPairs: MAX_FIELDS,
      maxSessionMemory: 32,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES, maxHeaderListSize: MAX_HEADER_BYTES },
    }))
    session.once('connect', () => {
      session.setLocalWindowSize(SESSION_WINDOW_BYTES)
      // Collected before a stream that has half of its header fields, it would abort the process (Node.js 26.10).
      const handle = handleOf(session)
      session.once('close', () => void handle)
    })
    session.on('error', (error: Error) => (this.#error = error))
    session.on('goaway', (code, lastStreamId) => {
      this.#goaway = code
      this.#span = (lastStreamId + 1) / 2
      if (this.#span >= 1 && this.#span < this.#begun) this.#keeper.spans(this.key, this.#span)
      this.leave()
    })
    session.on('remoteSettings', ({ maxConcurrentStreams = MAX_STREAMS }) => {
      this.#heard()
      this.#settled(Math.min(maxConcurrentStreams, MAX_STREAMS))
    })
    session.on('ping', () => this.#heard())
    session.once('close', () => this.#over())
  }

  #settled(most: number): void {
    this.#isSettled = true
    this.#most = most
    if (most > 0 || this.#open.size > 0) {
      // More connections than one are no better than those of HTTP/1.1.
      const tooMany = [...this.#waiting].slice(Math.max(0, most - this.#open.size))
      if (tooMany.length > 0) this.#keeper.broke(this.key)
      for (const stream of tooMany) stream.fail(ELSEWHERE)
      return this.#next()
    }
    const code = this.#keeper.broke(this.key) ? 'AVO_STALE_SOCKET' : 'AVO_PROTOCOL'
    this.#isLeaving = true
    for (const stream of this.#waiting) stream.fail(new AvocetError(code, 'HTTP/2: the server accepts no streams'))
    this.destroy()
  }

  #heard(): void {
    const now = this.#keeper.clock.monotonic()
    if (now - this.#noise.since >= NOISE_MS) this.#noise = { since: now, frames: 0 }
    this.#noise.frames += 1
    if (this.#noise.frames <= MAX_NOISE) return
    this.#hasAnswered = false
    this.#session?.destroy(new AvocetError('AVO_PROTOCOL', `more than ${MAX_NOISE} frames that are no part of an answer`))
  }

  #next(): void {
    if (this.#session === undefined || this.#isLeaving) return
    const most = this.#isSettled ? this.#most : 1
    for (const stream of this.#waiting) {
      if (this.#open.size >= most) return
      this.#waiting.delete(stream)
      this.#open.set(stream, { at: this.#keeper.clock.monotonic(), bytes: this.#socket?.bytesRead ?? 0 })
      this.#begun += 1
      stream.begin(this.#session, this.#place.origin.slice('https://'.length))
      if (this.#begun >= this.#span) return this.leave()
    }
  }

  /** What waits was not sent: it starts again, elsewhere. */
  #sendAway(): void {
    for (const stream of this.#waiting) stream.fail(ELSEWHERE)
  }

  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isLeaving = true
    if (this.#goaway === undefined && this.#begun >= this.#span) this.#keeper.spans(this.key, Infinity)
    this.#keeper.left(this, true)
    this.#sendAway()
    for (const done of this.#closed) done()
  }

  #why(refused: boolean, code: number, error: Error | undefined): string {
    if (refused) return 'the server refused the stream'
    if (this.#goaway !== undefined) return `the server ended the connection with GOAWAY, error code ${this.#goaway}`
    return error?.message ?? `the stream ended without an answer, error code ${code}`
  }
}

/** What node:http2 lets go of before the session has closed. */
function handleOf(session: ClientHttp2Session): unknown {
  const name = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle')
  return name && Reflect.get(session, name)
}

const ELSEWHERE = new Error('the connection takes no more requests')
