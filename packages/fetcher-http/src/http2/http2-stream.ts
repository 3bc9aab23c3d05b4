// One exchange on an HTTP/2 session: what a connection of its own is to an exchange over HTTP/1.1. It waits with its session until that has room, and is not
// sent before; then it tells the handler what undici would. To end it resets this stream alone.
import { AvocetError } from '@avocet/core'
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { mayBeSentTwice, type DispatchOptions, type SharedStream } from '../dispatch.ts'
import { MAX_HEADER_BYTES } from '../wire-tap.ts'
import type { Attempt, Stage } from '../connector.ts'

/** The part of undici's handler that is used. */
export interface DispatchHandler {
  onRequestStart(): void
  onResponseStart(controller: object, status: number, headers: Readonly<Record<string, string | string[]>>): void
  onResponseData(controller: object, chunk: Buffer): void
  onResponseEnd(): void
  onResponseError(controller: null, error: Error): void
}

/** RFC 9113 §7. */
const CANCEL = 8
const REFUSED_STREAM = 7
/** They belong to a connection of HTTP/1.1 (RFC 9113 §8.2.2); the host is in `:authority`. */
const HOP_BY_HOP = [
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]

/** Why a stream ended without its answer. */
export interface StreamLoss {
  readonly answered: boolean
  /** The server did not act on the request (RFC 9113 §8.7). */
  readonly refused: boolean
  readonly code: number
  readonly error: Error | undefined
}

/** What a stream needs of its session. */
export interface StreamSession {
  readonly key: string
  readonly stage: Stage | undefined
  readonly through: Attempt['through']
  readonly remoteAddress: string | undefined
  takeConnectMs(): number | undefined
  /** `stream` waits for its turn, which may be now. */
  wait(stream: Http2Stream): void
  /** `stream` has its answer. */
  answered(stream: Http2Stream): void
  /** `stream` was given up. */
  cancelled(stream: Http2Stream): void
  /** `stream` is over. */
  left(stream: Http2Stream): void
  /** Takes no more streams; those that it has go on. */
  leave(): void
  /** What the loss of a stream means. */
  judge(loss: StreamLoss): Error & { readonly code?: string }
}

/** A stream, or the wait for one. */
export class Http2Stream implements SharedStream {
  readonly tap = undefined
  readonly client: Http2Stream = this
  readonly #session: StreamSession
  #request: DispatchOptions | undefined
  #handler: DispatchHandler | undefined
  #stream: ClientHttp2Stream | undefined
  #error: Error | undefined
  #answered = false
  #isOver = false
  #bytes = 0
  #announced: number | undefined

  constructor(session: StreamSession) {
    this.#session = session
  }

  get key(): string {
    return this.#session.key
  }

  get stage(): Stage | undefined {
    return this.#session.stage
  }

  get through(): Attempt['through'] {
    return this.#session.through
  }

  get remoteAddress(): string | undefined {
    return this.#session.remoteAddress
  }

  takeConnectMs(): number | undefined {
    return this.#session.takeConnectMs()
  }

  dispatch(request: DispatchOptions, handler: object): boolean {
    this.#request = request
    this.#handler = handler as DispatchHandler
    this.#session.wait(this)
    return true
  }

  /** It has room: sends the request. */
  begin(session: ClientHttp2Session, authority: string): void {
    if (this.#request === undefined) return
    const { path, method, headers, body } = this.#request
    const pseudo = { ':method': method, ':path': path, ':scheme': 'https', ':authority': authority }
    try {
      this.#stream = session.request({ ...pseudo, ...sendable(headers) }, { endStream: body === null })
    } catch (error) {
      if (session.closed || session.destroyed) this.#session.leave()
      else Object.assign(error as Error, { code: 'UND_ERR_INVALID_ARG' })
      return this.fail(error as Error)
    }
    this.#listen(this.#stream, method)
    this.#handler?.onRequestStart()
    if (!this.#isOver && body !== null) this.#stream.end(body)
  }

  /** Ends with `error`, before or instead of an answer. */
  fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#session.left(this)
    this.#handler?.onResponseError(null, error)
  }

  /** Nobody waits for it any more: resets it, if it is not complete. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stream?.close(CANCEL)
    // `close` alone waits for the other side.
    this.#stream?.destroy()
    this.#session.cancelled(this)
  }

  #listen(stream: ClientHttp2Stream, method: string): void {
    const controller = { pause: () => stream.pause(), resume: () => stream.resume(), rawHeaders: undefined as unknown }
    stream.on('error', (error: Error) => (this.#error = error))
    stream.on('headers', (headers) => {
      if (!this.#isOver) this.#handler?.onResponseStart(controller, headers[':status'] ?? 100, {})
    })
    stream.on(
      'response',
      (headers: IncomingHttpHeaders & { ':status'?: number }, _flags: number, raw: readonly string[] = []) => {
        if (this.#isOver) return
        // node:http2 bounds their number, not their size: of 16 KiB on the wire HPACK makes megabytes.
        const bytes = raw.reduce((sum, { length }) => sum + length, 0)
        if (bytes > MAX_HEADER_BYTES)
          return this.#refuse(new AvocetError('AVO_HEADERS_TOO_LARGE', `${bytes} bytes of header fields`))
        const status = Number(headers[':status'])
        delete headers[':status']
        this.#answered = true
        const length = method === 'HEAD' || status === 304 ? undefined : headers['content-length']
        if (length !== undefined) this.#announced = Number(length)
        controller.rawHeaders = raw
        this.#handler?.onResponseStart(controller, status, fieldsIn(raw))
      },
    )
    stream.on('data', (chunk: Buffer) => {
      if (this.#isOver) return
      this.#bytes += chunk.length
      this.#handler?.onResponseData(controller, chunk)
    })
    stream.on('end', () => this.#ended(stream))
    stream.on('close', () => this.#lost(stream))
  }

  /** Its answer is not to be read. */
  #refuse(error: AvocetError): void {
    this.#stream?.close(CANCEL)
    this.fail(error)
  }

  #ended(stream: ClientHttp2Stream): void {
    // A reset without an error ends a body as its last frame does.
    const isWhole = this.#announced === undefined || this.#announced === this.#bytes
    if (this.#isOver || !this.#answered || stream.rstCode !== 0 || !isWhole) return
    this.#isOver = true
    this.#session.answered(this)
    this.#handler?.onResponseEnd()
  }

  #lost({ rstCode: code }: ClientHttp2Stream): void {
    if (this.#isOver) return
    const refused = code === REFUSED_STREAM
    const isRepeatable = refused || mayBeSentTwice(this.#request?.method ?? '')
    const loss = this.#session.judge({ answered: this.#answered, refused, code, error: this.#error })
    this.fail(isRepeatable || loss.code !== 'AVO_STALE_SOCKET' ? loss : new AvocetError('AVO_RESET', loss.message))
  }
}

function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  const sent = { ...headers }
  for (const name of HOP_BY_HOP) delete sent[name]
  return sent
}

/** Each field as often as it was sent: joined, an `X-Robots-Tag` for another crawler would take the next one for its own. */
function fieldsIn(raw: readonly string[]): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {}
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const [name = '', value = ''] = raw.slice(n, n + 2)
    const before = fields[name]
    if (!name.startsWith(':')) fields[name] = before === undefined ? value : [before, value].flat()
  }
  return fields
}
