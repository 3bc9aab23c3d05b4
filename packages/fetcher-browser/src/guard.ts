// The only way out for the browser: a forward proxy on loopback, through which it loads what a page asks for beside its document.
//
// The browser finds no names and opens no connections but to this. So the rules of the crawl hold for scripts as well: connections are those of the crawl's own
// fetcher, to addresses that are public unless the page's host may be private, and through the proxy of the page where it has one; a page has a budget of
// bytes; and what belongs to no page that is being built, such as the browser's own traffic, or a script that goes on afterwards, gets nothing. Which page asks
// is known by the name in `proxy-authorization`, as each context of the browser has one. Source: RFC 9110 §9.3.6 (CONNECT), §7.1 (absolute form).
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { finished, Transform, type Duplex } from 'node:stream'
import { AvocetError } from '@avocet/core'
import { siteOf } from '@avocet/core/plugin'
import type { Dialled, Fetcher, Outbound } from '@avocet/core/store'

/** What a page may load. */
export interface LoadRights {
  readonly url: string
  /** Whether its own host may have a private address. */
  readonly privateAllowed: boolean
  readonly otherSites: boolean
  readonly maxBytes: number
  /** Its document came through this: then so does everything else. */
  readonly proxy: Outbound['proxy']
}

/** Fields that are between the browser and this proxy (RFC 9110 §7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
/**
 * Answered here, to whom has a name. Chromium knows what to tell a proxy from the first answer 407 on, and a WebSocket does not wait for one: so a context
 * begins with this.
 */
export const GREETING = 'http://avocet.invalid/'

/** A page that is being built. */
interface Loading extends LoadRights {
  leftBytes: number
  readonly ending: AbortController
  readonly sockets: Set<Duplex>
}

/** What the browser wants to connect to. */
interface Wanted {
  readonly hostname: string | undefined
  readonly port: number
  readonly isPlain: boolean
}

/** The proxy. */
export class Guard {
  readonly #http: Pick<Fetcher, 'dial'>
  readonly #server: Server
  readonly #password = randomBytes(24).toString('base64url')
  readonly #loading = new Map<string, Loading>()

  /** `http` opens connections. */
  constructor(http: Pick<Fetcher, 'dial'>) {
    this.#http = http
    this.#server = createServer((request, response) => void this.#forward(request, response))
    this.#server.on(
      'connect',
      (request: IncomingMessage, socket: Socket, head: Buffer) => void this.#tunnel(request, socket, head),
    )
    this.#server.on('clientError', (_error, socket) => socket.destroy())
  }

  /** Begins to listen. */
  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#server.unref()
  }

  /** How a context of the browser that is called `name` reaches it. */
  proxyFor(name: string): {
    readonly server: string
    readonly username: string
    readonly password: string
    readonly bypass: string
  } {
    const { port } = this.#server.address() as AddressInfo
    // Chromium would go around a proxy to loopback.
    return { server: `http://127.0.0.1:${port}`, username: name, password: this.#password, bypass: '<-loopback>' }
  }

  /** The context called `name` builds a page: until this is disposed it may load. */
  allow(name: string, rights: LoadRights): Disposable {
    const loading: Loading = { ...rights, leftBytes: rights.maxBytes, sockets: new Set(), ending: new AbortController() }
    this.#loading.set(name, loading)
    return {
      [Symbol.dispose]: () => {
        loading.ending.abort(new Error('the page is built'))
        if (this.#loading.get(name) === loading) this.#loading.delete(name)
        for (const socket of loading.sockets) socket.destroy()
      },
    }
  }

  async close(): Promise<void> {
    for (const { ending, sockets } of this.#loading.values()) {
      ending.abort(new Error('the browser is closed'))
      for (const socket of sockets) socket.destroy()
    }
    this.#loading.clear()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** A tunnel, for https and WebSockets. */
  async #tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const { hostname, port } = URL.parse(`http://${request.url ?? ''}`) ?? {}
    const answer = await this.#dial(request, { hostname, port: Number(port || 80), isPlain: false })
    if (socket.destroyed) return void (typeof answer === 'object' && answer.socket.destroy())
    if (typeof answer === 'number') return void socket.end(refusal(answer))
    const { socket: upstream, loading } = answer
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    join(loading, socket, upstream)
  }

  /** A request in the clear. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '')
    const { hostname, port } = url ?? {}
    if (url?.href === GREETING && this.#nameIn(request) !== undefined) return void response.writeHead(204).end()
    if (isGuess(request)) return void response.writeHead(403).end()
    const answer = await this.#dial(request, { hostname, port: Number(port || 80), isPlain: true })
    if (typeof answer === 'number') return void response.writeHead(answer, AUTHENTICATE[answer] ?? {}).end()
    if (url === null) return
    const { socket: upstream, loading, proxyFields } = answer
    if (response.destroyed) return void upstream.destroy()
    const passed = Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.includes(name))
    const headers = { ...Object.fromEntries(passed), ...proxyFields }
    const path = (proxyFields === undefined ? '' : url.origin) + url.pathname + url.search
    const options = { method: request.method, path, headers, createConnection: () => upstream, setHost: false }
    const sent = httpRequest(options, (came) => passOn(came, response, loading))
    sent.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on('close', () => upstream.destroy())
    request.pipe(sent)
  }

  /** A connection for a page that may have it; else the status that says why not. */
  async #dial(request: IncomingMessage, to: Wanted): Promise<(Dialled & { readonly loading: Loading }) | number> {
    const loading = this.#loadingOf(request)
    if (loading === undefined) return request.headers['proxy-authorization'] === undefined ? 407 : 403
    const { hostname = '', port, isPlain } = to
    const { proxy, ending } = loading
    const own = new URL(loading.url)
    if (loading.leftBytes <= 0 || hostname === '') return 403
    if (!loading.otherSites && siteOf(hostname) !== siteOf(own.hostname)) return 403
    const privateAllowed = loading.privateAllowed && hostname === own.hostname && port === portOf(own)
    const target = { hostname: hostname.replace(/^\[|\]$/g, ''), port, isPlain, privateAllowed, proxy, signal: ending.signal }
    try {
      const dialled = await this.#http.dial?.(target)
      if (dialled === undefined) return 502
      hold(loading, dialled.socket)
      return { ...dialled, loading }
    } catch (error) {
      return error instanceof AvocetError && error.code === 'AVO_ADDRESS_REFUSED' ? 403 : 502
    }
  }

  #loadingOf(request: IncomingMessage): Loading | undefined {
    const name = this.#nameIn(request)
    return name === undefined ? undefined : this.#loading.get(name)
  }

  /** What the context calls itself, if it knows the password. */
  #nameIn({ headers }: IncomingMessage): string | undefined {
    const text = Buffer.from(headers['proxy-authorization']?.replace(/^Basic /i, '') ?? '', 'base64').toString()
    const at = text.indexOf(':')
    const [given, own] = [Buffer.from(text.slice(at + 1)), Buffer.from(this.#password)]
    return given.length === own.length && timingSafeEqual(given, own) ? text.slice(0, at) : undefined
  }
}

/** For a page that somebody may visit next. Of some of these Chromium tells nobody else. */
function isGuess({ headers }: IncomingMessage): boolean {
  return /prefetch|prerender/.test(`${String(headers['purpose'])} ${String(headers['sec-purpose'])}`)
}

const AUTHENTICATE: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  407: { 'proxy-authenticate': 'Basic realm="avocet"' },
}

function refusal(status: number): string {
  const fields = Object.entries(AUTHENTICATE[status] ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n${fields.join('')}\r\n`
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** It ends with the page, and a page with its time to be built: so do those on which nothing comes. */
function hold(loading: Loading, socket: Socket): void {
  loading.sockets.add(socket)
  socket.on('error', () => socket.destroy())
  finished(socket, () => loading.sockets.delete(socket))
}

/** What comes of a request. What the proxy of the page wants is not for the browser to know. A status below 100 is none (RFC 9110 §15), and Node.js throws. */
function passOn(came: IncomingMessage, response: ServerResponse, loading: Loading): void {
  const { statusCode = 502 } = came
  const fields = Object.entries(came.headers).filter(([name]) => !HOP_BY_HOP.includes(name) && name !== 'proxy-authenticate')
  response.writeHead(statusCode === 407 || statusCode < 100 ? 502 : statusCode, Object.fromEntries(fields))
  // Cut by the server: `pipe` would leave the browser waiting for the rest.
  finished(came, (error) => void (error && response.destroy()))
  came
    .pipe(metered(loading))
    .on('error', () => response.destroy())
    .pipe(response)
}

/** Passes bytes while the page has budget. */
function metered(loading: Loading): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      loading.leftBytes -= chunk.length
      if (loading.leftBytes < 0) done(new Error('the page loads too much'))
      else done(null, chunk)
    },
  })
}

function join(loading: Loading, socket: Socket, upstream: Socket): void {
  hold(loading, socket)
  const end = (): void => {
    socket.destroy()
    upstream.destroy()
  }
  socket.pipe(upstream).on('error', end)
  upstream.pipe(metered(loading)).on('error', end).pipe(socket).on('error', end)
  socket.on('close', end)
  upstream.on('close', end)
}
