// Serves the page on one address: who asks is checked first.
//
// `/?token=…` lets a browser in and sends it to `/`; `POST /login` takes a password; `/events` is the stream; `POST /wish` says what a page wants to see;
// `POST /act` steers; `/politeness` is the report of one host as a file; all else is a file of the page. All but the link and the password need the cookie.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AvocetError } from '@avocet/core'
import { messageOf, type Clock } from '@avocet/core/store'
import { isLoopback, listening } from '@avocet/metrics/address'
import type { CrawlShelf } from '../crawl-source.ts'
import { readWish } from '../view-wish.ts'
import { Access } from './access.ts'
import { crawlFile } from './crawl-file.ts'
import { EventStreams } from './event-streams.ts'
import { readAction } from './read-action.ts'
import { pageFiles, reply, replyFile, replyJson, type BundledFile } from './replies.ts'

/** Where it is served, and what it shows. */
export interface DashboardWish {
  readonly shelf: CrawlShelf
  readonly clock: Clock
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Default: any that is free. */
  readonly port?: number
  /** Needed where others than this machine can reach the address. */
  readonly password?: string
}

/** A page that is served. */
export interface Dashboard {
  /** With the token: whoever has it is let in. */
  readonly link: string
  /** Ends all streams and connections. */
  close(): Promise<void>
}

const DEFAULT_HOST = '127.0.0.1'
const MAX_BODY_BYTES = 1024 * 1024
const MAX_CONNECTIONS = 64
/** Connections that have asked for nothing yet: of more, the oldest is ended. Browsers open one or two ahead. */
const MAX_SILENT = 16
/** For the fields of a request to come, and for all of it. */
const HEADERS_MS = 5_000
const REQUEST_MS = 10_000

/**
 * Serves the page. Once closed, it does not keep the process alive.
 *
 * @throws AVO_USAGE for an address that others can reach without a password, AVO_LISTEN_ADDRESS for one that cannot be listened at.
 * @example
 * ```ts
 * const shelf = { crawls: async () => [], crawl: async () => undefined }
 * const dashboard = await startDashboard({ shelf, clock: systemClock() })
 * dashboard.link.startsWith('http://127.0.0.1:') // true
 * await dashboard.close()
 * ```
 */
export async function startDashboard({ host = DEFAULT_HOST, port = 0, ...wish }: DashboardWish): Promise<Dashboard> {
  if (!isLoopback(host) && wish.password === undefined)
    throw new AvocetError(
      'AVO_USAGE',
      `expected a password for ${host}, which others can reach, got none; give one, or leave out the address for 127.0.0.1`,
    )
  const files = await pageFiles()
  const server = boundedServer()
  const bound = await listening(server, 'ui', { host, port })
  const access = new Access({ host, port: bound, ...(wish.password !== undefined && { password: wish.password }) })
  const room = new DashboardRoom({ ...wish, access, files })
  server.on('request', (request, answer) => void room.answer(request, answer))
  return {
    link: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/?token=${access.token}`,
    async close() {
      room.close()
      const closed = new Promise((done) => server.close(done))
      server.closeIdleConnections()
      setImmediate(() => server.closeAllConnections())
      await closed
    },
  }
}

/** One that those who say nothing, or say it slowly, cannot keep from others. */
function boundedServer(): Server {
  const limits = { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 }
  const server = createServer({ maxHeaderSize: 16_384, ...limits })
  server.maxConnections = MAX_CONNECTIONS
  const silent = new Set<Socket>()
  server.on('connection', (socket) => {
    silent.add(socket)
    socket.on('close', () => silent.delete(socket))
    const [oldest] = silent.size > MAX_SILENT ? silent : []
    oldest?.destroy()
  })
  server.on('request', ({ socket }) => silent.delete(socket))
  return server
}

interface Room extends Pick<DashboardWish, 'shelf' | 'clock'> {
  readonly access: Access
  readonly files: ReadonlyMap<string, BundledFile>
}

class DashboardRoom {
  readonly #room: Room
  readonly #streams: EventStreams

  constructor(room: Room) {
    this.#room = room
    this.#streams = new EventStreams(room)
  }

  close(): void {
    this.#streams.close()
  }

  async answer(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, answer)
    } catch (error) {
      if (answer.headersSent) answer.destroy()
      else replyJson(answer, error instanceof AvocetError ? 400 : 500, { error: messageOf(error) })
    }
  }

  async #answer(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { access } = this.#room
    const { headers, method } = request
    const url = addressIn(request)
    if (access.isForeign(headers)) return reply(answer, 403, { content: FOREIGN })
    const token = url.searchParams.get('token')
    if (token !== null && url.pathname === '/') return this.#letIn(answer, access.isToken(token))
    if (method === 'POST' && url.pathname === '/login') return this.#login(request, answer)
    if (!access.hasSession(headers)) return this.#stranger(url, answer)
    if (method === 'POST') return this.#post(url.pathname, request, answer)
    if (method !== 'GET') return reply(answer, 405)
    if (url.pathname === '/events') return this.#streams.open(answer)
    if (url.pathname === '/politeness') return this.#politeness(url, answer)
    this.#file(url.pathname === '/' ? 'index.html' : url.pathname.slice(1), 200, answer)
  }

  #letIn(answer: ServerResponse, isOurs: boolean): void {
    if (!isOurs) return reply(answer, 403, { content: UNKNOWN })
    reply(answer, 303, { headers: { location: '/', 'set-cookie': this.#room.access.cookie } })
  }

  /** A page that asks for the password, where there is one; it has no secrets. */
  #stranger({ pathname }: URL, answer: ServerResponse): void {
    // Places are few, and are kept for who was let in.
    answer.shouldKeepAlive = false
    const isOpen = this.#room.access.asksPassword
    if (isOpen && pathname === '/') return this.#file('login.html', 403, answer)
    if (isOpen && (pathname === '/login.js' || pathname === '/app.css')) return this.#file(pathname.slice(1), 200, answer)
    reply(answer, 403, { content: UNKNOWN })
  }

  async #login(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { access, clock } = this.#room
    const from = request.socket.remoteAddress ?? ''
    const { password } = objectIn(await bodyOf(request)) as { readonly password?: unknown }
    const now = clock.monotonic() / (clock.scale ?? 1)
    const isRight = access.isPassword(typeof password === 'string' ? password : '', from, now)
    if (isRight === undefined) return replyJson(answer, 429, { error: 'too many wrong passwords; wait a minute' })
    if (!isRight) return replyJson(answer, 403, { error: 'that is not the password' })
    reply(answer, 204, { headers: { 'set-cookie': access.cookie } })
  }

  async #post(path: string, request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    if (body === undefined) return replyJson(answer, 415, { error: 'expected application/json' })
    const said = objectIn(body) as { readonly client?: unknown; readonly number?: unknown; readonly wish?: unknown }
    if (path === '/wish')
      return replyJson(answer, this.#streams.wishes(said.client, readWish(said.wish), said.number) ? 200 : 404, {})
    if (path === '/act') return this.#act(body, answer)
    reply(answer, 404)
  }

  async #act(body: unknown, answer: ServerResponse): Promise<void> {
    const { crawl, action: said } = objectIn(body) as { readonly crawl?: unknown; readonly action?: unknown }
    const shown = typeof crawl === 'string' ? await this.#room.shelf.crawl(crawl) : undefined
    const action = readAction(said)
    if (shown === undefined || !shown.steering.offers.includes(action.kind))
      return replyJson(answer, 409, {
        error: `expected what the crawl can do now, got ${action.kind}; look at what the page offers`,
      })
    const done = await shown.steering.act(action)
    this.#streams.turn()
    replyJson(answer, 200, { done })
  }

  async #politeness({ searchParams }: URL, answer: ServerResponse): Promise<void> {
    const host = searchParams.get('host') ?? ''
    const crawl = searchParams.get('crawl') ?? ''
    const shown = await this.#room.shelf.crawl(crawl)
    const content = shown && (await crawlFile({ crawl, source: shown.source, host }))
    if (content === undefined) return reply(answer, 404, { content: 'no such host' })
    replyFile(answer, content, `${host}.html`)
  }

  #file(name: string, status: number, answer: ServerResponse): void {
    const file = this.#room.files.get(name)
    if (file === undefined || (name === 'login.html' && status === 200)) return reply(answer, 404)
    reply(answer, status, file)
  }
}

const FOREIGN = 'This page can only be opened from its own address. Type the link that avocet printed into the address bar.'
const UNKNOWN = 'Open the link that avocet printed, with its token.'

/** Throws AVO_USAGE for what is no address, as `//`. */
function addressIn({ url = '/' }: IncomingMessage): URL {
  const parsed = URL.parse(url.startsWith('/') ? `http://avocet.invalid${url}` : url)
  if (parsed === null)
    throw new AvocetError('AVO_USAGE', 'expected a path of the page, got something else; open the link that avocet printed')
  return parsed
}

/** Throws AVO_USAGE for what is none. */
function objectIn(body: unknown): object {
  if (typeof body === 'object' && body !== null) return body
  throw new AvocetError('AVO_USAGE', 'expected a JSON object, got something else; reload the page')
}

/** Undefined for what is not declared as JSON: forms of other sites cannot declare it. Throws AVO_USAGE for what is none, or too long. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json(?:;|$)/i.test(request.headers['content-type'] ?? '')) return undefined
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.byteLength
    if (bytes > MAX_BODY_BYTES) throw new AvocetError('AVO_USAGE', `expected at most ${MAX_BODY_BYTES} bytes, got more`)
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown
  } catch {
    throw new AvocetError('AVO_USAGE', 'expected JSON, got something else')
  }
}
