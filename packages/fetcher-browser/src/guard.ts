// The only way out for the browser: a forward proxy on loopback, through which it loads what a page asks for beside its document.
//
// The browser finds no names and opens no connections but to this. So the rules of the crawl hold for scripts as well: addresses are those that the crawl's
// own resolver gives, and public unless the page's host may be private; a page has a budget of bytes; and what belongs to no page that is being built, such as
// the browser's own traffic, or a script that goes on afterwards, gets nothing. Which page asks is known by the name in `proxy-authorization`, as each context
// of the browser has one. Source: RFC 9110 §9.3.6 (CONNECT), §7.1 (absolute form).
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, isIP, type AddressInfo, type Socket } from 'node:net'
import { finished, Transform, type Duplex } from 'node:stream'
import { isPrivateAddress, registrableDomain, type Fetcher } from '@avocet/core/store'

/** What a page may load. */
export interface LoadRights {
  readonly url: string
  /** Whether its own host may have a private address. */
  readonly privateAllowed: boolean
  readonly otherSites: boolean
  readonly maxBytes: number
  /** Its document came through a proxy: then nothing is loaded past that. */
  readonly isProxied: boolean
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
/** Of a connection on which nothing comes, or that does not come about. */
const SILENCE_MS = 30_000

/** Addresses of a name that are tried. */
const MAX_ADDRESSES = 3

/** A page that is being built. */
interface Loading extends LoadRights {
  leftBytes: number
  isOver: boolean
  readonly sockets: Set<Duplex>
}

/** The proxy. */
export class Guard {
  readonly #addressesOf: NonNullable<Fetcher['addressesOf']>
  readonly #server: Server
  readonly #password = randomBytes(24).toString('base64url')
  readonly #loading = new Map<string, Loading>()

  /** `http` finds the addresses of names. */
  constructor(http: Fetcher) {
    this.#addressesOf = (hostname) => http.addressesOf?.(hostname) ?? Promise.resolve([])
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
    const loading: Loading = { ...rights, leftBytes: rights.maxBytes, sockets: new Set(), isOver: false }
    this.#loading.set(name, loading)
    return {
      [Symbol.dispose]: () => {
        loading.isOver = true
        if (this.#loading.get(name) === loading) this.#loading.delete(name)
        for (const socket of loading.sockets) socket.destroy()
      },
    }
  }

  async close(): Promise<void> {
    for (const { sockets } of this.#loading.values()) for (const socket of sockets) socket.destroy()
    this.#loading.clear()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** A tunnel, for https and WebSockets. */
  async #tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const { hostname, port } = URL.parse(`http://${request.url ?? ''}`) ?? {}
    const answer = await this.#dial(request, { hostname, port: Number(port || 80) })
    if (socket.destroyed) return void (typeof answer === 'object' && answer.upstream.destroy())
    if (typeof answer === 'number') return void socket.end(refusal(answer))
    const { upstream, loading } = answer
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    join(loading, socket, upstream)
  }

  /** A request in the clear. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '')
    const { hostname, port } = url ?? {}
    const answer = await this.#dial(request, { hostname, port: Number(port || 80) })
    if (typeof answer === 'number') return void response.writeHead(answer, AUTHENTICATE[answer] ?? {}).end()
    if (url === null) return
    const { upstream, loading } = answer
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.includes(name)))
    const path = url.pathname + url.search
    const sent = httpRequest(
      { method: request.method, path, headers, createConnection: () => upstream, setHost: false },
      (came) => {
        const fields = Object.entries(came.headers).filter(([name]) => !HOP_BY_HOP.includes(name))
        response.writeHead(came.statusCode ?? 502, Object.fromEntries(fields))
        came
          .pipe(metered(loading))
          .on('error', () => response.destroy())
          .pipe(response)
      },
    )
    sent.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on('close', () => upstream.destroy())
    request.pipe(sent)
  }

  /** A connection for a page that may have it; else the status that says why not. */
  async #dial(
    request: IncomingMessage,
    { hostname = '', port }: { readonly hostname: string | undefined; readonly port: number },
  ): Promise<{ readonly upstream: Socket; readonly loading: Loading } | number> {
    const loading = this.#loadingOf(request)
    if (loading === undefined) return request.headers['proxy-authorization'] === undefined ? 407 : 403
    const own = new URL(loading.url)
    if (loading.isProxied || loading.leftBytes <= 0 || hostname === '') return 403
    if (!loading.otherSites && registrableDomain(hostname) !== registrableDomain(own.hostname)) return 403
    const mayBePrivate = loading.privateAllowed && hostname === own.hostname && port === portOf(own)
    const name = hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(name) === 0 ? await this.#addressesOf(name) : [name]
    const allowed = addresses.filter((each) => mayBePrivate || !isPrivateAddress(each))
    if (allowed.length === 0) return addresses.length === 0 ? 502 : 403
    for (const host of allowed.slice(0, MAX_ADDRESSES)) {
      // Its page may have ended while the name was looked up.
      if (loading.isOver) return 403
      const upstream = await opened(loading, { host, port })
      if (upstream !== undefined) return { upstream, loading }
    }
    return 502
  }

  #loadingOf({ headers }: IncomingMessage): Loading | undefined {
    const text = Buffer.from(headers['proxy-authorization']?.replace(/^Basic /i, '') ?? '', 'base64').toString()
    const at = text.indexOf(':')
    const [given, own] = [Buffer.from(text.slice(at + 1)), Buffer.from(this.#password)]
    if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined
    return this.#loading.get(text.slice(0, at))
  }
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

/** A connection that ends with the page; undefined when there is none to be had. */
function opened(loading: Loading, to: { readonly host: string; readonly port: number }): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>()
  const upstream = connect({ ...to, timeout: SILENCE_MS })
  hold(loading, upstream)
  upstream.once('connect', () => resolve(upstream))
  upstream.on('timeout', () => upstream.destroy()).on('error', () => upstream.destroy())
  upstream.once('close', () => resolve(undefined))
  return promise
}

/** It ends with the page. */
function hold(loading: Loading, socket: Duplex): void {
  loading.sockets.add(socket)
  finished(socket, () => loading.sockets.delete(socket))
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
