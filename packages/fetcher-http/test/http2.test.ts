// What the fetcher promises where HTTP/2 is wanted: one connection, streams for exchanges, and HTTP/1.1 where that is better.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type net from 'node:net'
import { Readable } from 'node:stream'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { type Clock, systemClock } from '@avocet/core/store'
import { WatchedSaver } from '@avocet/stress/fetcher'
import { startTestProxy } from '@avocet/stress/hostile'
import { describe, expect, it, onTestFinished } from 'vitest'
import { proxyServerOf } from '../../plugin-proxies/src/proxy-server.ts'
import { SELF_SIGNED } from './certificates.ts'
import { exchange, fetcherOf, textOf, type Ask, type Outcome } from './web.ts'

type Answer = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void

interface Server {
  readonly site: string
  /** By version: connections, and requests. */
  readonly seen: { connections: number; http1: number; http2: number }
}

/** A server that answers streams as told, and HTTP/1.1 with `by HTTP/1.1`, if it speaks that; or both with `play`. */
async function serverOf(answer: Answer, speaks: 'both' | 'http2' | 'http1' = 'both', play?: Play): Promise<Server> {
  const seen = { connections: 0, http1: 0, http2: 0 }
  const server =
    speaks === 'http1'
      ? https.createServer(SELF_SIGNED)
      : http2.createSecureServer({ ...SELF_SIGNED, allowHTTP1: speaks === 'both' })
  const open = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    seen.connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (request.httpVersionMajor === 1) seen.http1 += 1
    if (play !== undefined) play(request, response)
    else if (request.httpVersionMajor === 1) response.end('by HTTP/1.1')
  })
  server.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    seen.http2 += 1
    stream.on('error', () => {})
    answer(stream, headers)
  })
  server.on('sessionError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { site: `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`, seen }
}

const page: Answer = (stream, headers) => {
  stream.respond({ ':status': 200, 'content-type': 'text/html' })
  stream.end(`page ${headers[':path']}`)
}

function asks(fetcher: ReturnType<typeof fetcherOf>, url: string, ask: Ask = {}): Promise<Outcome> {
  return exchange(fetcher, url, { http2: true, ...ask })
}

describe('a host that offers HTTP/2', () => {
  it('answers many exchanges over one connection', async () => {
    const { site, seen } = await serverOf(page)
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    const paths = Array.from({ length: 20 }, (_, at) => `/${at}`)
    const outcomes = await Promise.all(paths.map((path) => asks(fetcher, site + path)))

    expect(outcomes.map(textOf)).toEqual(paths.map((path) => `page ${path}`))
    expect(seen).toEqual({ connections: 1, http1: 0, http2: 20 })
    expect(fetcher.connections?.()).toEqual({ open: 1, busy: 0 })
  })

  it('is asked over HTTP/1.1 where nobody wants HTTP/2', async () => {
    const { site, seen } = await serverOf(page)

    expect(textOf(await exchange(fetcherOf({ ca: SELF_SIGNED.cert }), site))).toBe('by HTTP/1.1')
    expect(seen.http2).toBe(0)
  })

  it('and nothing else fails without it, with the option to set', async () => {
    const { site } = await serverOf(page, 'http2')
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    const { failure } = await exchange(fetcher, site)
    expect(failure).toMatchObject({ code: 'AVO_TLS_HTTP2_ONLY', phase: 'tls', message: expect.stringContaining("http2: 'auto'") })
    expect(textOf(await asks(fetcher, site))).toBe('page /')
  })

  it('gets the body of a request, and the fields of one without those of a connection', async () => {
    let got: http2.IncomingHttpHeaders = {}
    const { site } = await serverOf((stream, headers) => {
      got = headers
      stream.respond({ ':status': 201 })
      stream.pipe(stream)
    })
    const headers = { 'x-shop': 'a', connection: 'keep-alive', host: 'other.test', te: 'gzip' }
    const outcome = await asks(fetcherOf({ ca: SELF_SIGNED.cert }), `${site}/form`, { method: 'POST', body: 'a=1', headers })

    expect(outcome.response?.status).toBe(201)
    expect(textOf(outcome)).toBe('a=1')
    expect(got).toMatchObject({ ':method': 'POST', ':authority': site.slice(8), 'x-shop': 'a' })
    expect(got).not.toHaveProperty('host')
    expect(got).not.toHaveProperty('te')
  })

  it('tells of a field that came twice as of two, as over HTTP/1.1', async () => {
    const { site } = await serverOf((stream) => {
      stream.respond({ ':status': 200, 'x-robots-tag': ['otherbot: noindex', 'nofollow'], 'x-once': 'a' })
      stream.end()
    })
    const { response } = await asks(fetcherOf({ ca: SELF_SIGNED.cert }), site)

    expect(response?.headers).toMatchObject({ 'x-robots-tag': ['otherbot: noindex', 'nofollow'], 'x-once': 'a' })
  })

  it('says 429 at its headers, before any of the body', async () => {
    const { site } = await serverOf((stream) => {
      stream.respond({ ':status': 429, 'retry-after': '7' })
      stream.write('slow down')
    })
    const { calls, head, response } = await asks(fetcherOf({ ca: SELF_SIGNED.cert }), site, { wish: 'discard' })

    expect(calls).toEqual(['sent', 'headers', 'done'])
    expect(head).toMatchObject({ status: 429, headers: { 'retry-after': '7' } })
    expect(response?.body).toHaveLength(0)
  })

  it('loses one stream to a timeout, and none of its siblings', async () => {
    const { site, seen } = await serverOf((stream, headers) => {
      if (headers[':path'] !== '/never') page(stream, headers)
    })
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })
    const [late, well] = await Promise.all([
      asks(fetcher, `${site}/never`, { limits: { firstByteMs: 100 } }),
      asks(fetcher, `${site}/well`),
    ])

    expect(late.failure).toMatchObject({ code: 'AVO_FIRST_BYTE_TIMEOUT' })
    expect(textOf(well)).toBe('page /well')
    expect(textOf(await asks(fetcher, `${site}/next`))).toBe('page /next')
    expect(seen.connections).toBe(1)
  })
})

/** Played alike over both versions. */
type Play = (request: http.IncomingMessage, response: http.ServerResponse) => void

describe('an exchange goes over HTTP/2 as it does over HTTP/1.1', () => {
  const TEXT = 'a page '.repeat(1_000)
  const coded =
    (name: string, body: Buffer): Play =>
    (_request, response) =>
      void response.writeHead(200, { 'content-encoding': name, 'content-length': body.length }).end(body)
  const bare =
    (status: number, fields: http.OutgoingHttpHeaders = {}): Play =>
    (_request, response) =>
      void response.writeHead(status, fields).end()

  it.each<[string, Play, Ask, object]>([
    ['gzip', coded('gzip', zlib.gzipSync(TEXT)), {}, { body: TEXT }],
    ['deflate', coded('deflate', zlib.deflateSync(TEXT)), {}, { body: TEXT }],
    ['br', coded('br', zlib.brotliCompressSync(TEXT)), {}, { body: TEXT }],
    ['zstd', coded('zstd', zlib.zstdCompressSync(TEXT)), {}, { body: TEXT }],
    ['a coding cut short', coded('br', zlib.brotliCompressSync(TEXT).subarray(0, 20)), {}, { code: 'AVO_TRUNCATED' }],
    ['HEAD, with the length of a body', bare(200, { 'content-length': 5_000 }), { method: 'HEAD' }, { status: 200, body: '' }],
    ['304, with that of the page', bare(304, { etag: '"a"', 'content-length': 5_000 }), {}, { status: 304, body: '' }],
    ['421', bare(421), {}, { status: 421 }],
    ['a range', bare(206, { 'content-range': 'bytes 5-9/10' }), { headers: { range: 'bytes=5-' } }, { status: 206 }],
    ['a range that nobody asked for', bare(206, { 'content-range': 'bytes 5-9/10' }), {}, { code: 'AVO_PROTOCOL' }],
    [
      'cookies',
      bare(200, { 'set-cookie': ['a=1', 'b=2'] }),
      {},
      { headers: expect.objectContaining({ 'set-cookie': ['a=1', 'b=2'] }) },
    ],
    [
      'early hints and trailers',
      (_request, response) => {
        response.writeEarlyHints({ link: '</a.css>; rel=preload' })
        response.writeHead(200, { trailer: 'x-sum' })
        response.write(TEXT)
        response.addTrailers({ 'x-sum': '1' })
        response.end()
      },
      {},
      { status: 200, body: TEXT },
    ],
    [
      'a form',
      (request, response) => void request.pipe(response),
      { method: 'POST', body: 'user=ann', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { body: 'user=ann' },
    ],
    [
      'fields of a request',
      ({ headers: { cookie, signature, 'signature-agent': agent } }, response) =>
        void response.end(JSON.stringify({ cookie, signature, agent })),
      { headers: { cookie: 'a=1; b=2', signature: 'sig1=:AA==:', 'signature-agent': 'sig1="https://bot.example"' } },
      { body: '{"cookie":"a=1; b=2","signature":"sig1=:AA==:","agent":"sig1=\\"https://bot.example\\""}' },
    ],
  ])('%s', async (_what, play, ask, expected) => {
    const { site, seen } = await serverOf(() => {}, 'both', play)
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    for (const http2 of [false, true]) {
      const outcome = await exchange(fetcher, site, { ...ask, http2 })
      const { status, headers } = outcome.response ?? {}
      const came = { status, headers, body: textOf(outcome), code: outcome.failure?.code }
      expect(came).toMatchObject(expected)
    }
    expect(seen).toEqual({ connections: 2, http1: 1, http2: 1 })
  })
})

describe('HTTP/2', () => {
  it.each(['http', 'https', 'socks5'] as const)('is spoken through a tunnel of a proxy (%s)', async (kind) => {
    const { site, seen } = await serverOf(page)
    const proxy = await startTestProxy({ kind, certificate: SELF_SIGNED })
    onTestFinished(() => proxy.close())
    const server = proxyServerOf(proxy.url)
    if (typeof server === 'string') throw new Error(server)
    const through = { proxy: server }
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    const outcomes = await Promise.all([asks(fetcher, `${site}/a`, through), asks(fetcher, `${site}/b`, through)])

    expect(outcomes.map(textOf)).toEqual(['page /a', 'page /b'])
    expect(outcomes[0]?.response?.remoteAddress).toBeUndefined()
    expect(seen).toEqual({ connections: 1, http1: 0, http2: 2 })
  })

  it('never takes an exchange home that may not go there, not even on a connection that stands', async () => {
    const { site, seen } = await serverOf(page)
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    expect(textOf(await asks(fetcher, site))).toBe('page /')
    expect((await asks(fetcher, site, { privateAllowed: false })).failure).toMatchObject({ code: 'AVO_ADDRESS_REFUSED' })
    expect(seen.connections).toBe(1)
  })

  it('has the limit of a body, which ends one stream', async () => {
    const { site, seen } = await serverOf((stream, headers) => {
      if (headers[':path'] !== '/large') return page(stream, headers)
      stream.respond({ ':status': 200 })
      stream.end('x'.repeat(300_000))
    })
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert, limits: { maxWireBytes: 100_000 } })
    const outcomes = await Promise.all([asks(fetcher, `${site}/large`), asks(fetcher, `${site}/well`)])

    expect(outcomes[0]?.failure).toMatchObject({ code: 'AVO_BODY_TOO_LARGE' })
    expect(textOf(outcomes[1] ?? { calls: [] })).toBe('page /well')
    expect(seen.connections).toBe(1)
  })
})

describe('a host that offers HTTP/1.1 alone', () => {
  it('is asked for no HTTP/2 again', async () => {
    const { site, seen } = await serverOf(page, 'http1')
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    const outcomes = [await asks(fetcher, site), await asks(fetcher, site)]

    expect(outcomes.map(textOf)).toEqual(['by HTTP/1.1', 'by HTTP/1.1'])
    expect(seen).toEqual({ connections: 2, http1: 2, http2: 0 })
  })
})

describe('a stream that its server refuses', () => {
  it('is not the fault of the host', async () => {
    let refused = 0
    const { site } = await serverOf((stream, headers) => {
      if (headers[':path'] !== '/busy' || refused++ > 0) return page(stream, headers)
      stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
    })
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    await asks(fetcher, site)
    expect((await asks(fetcher, `${site}/busy`)).failure).toMatchObject({ code: 'AVO_STALE_SOCKET', blame: 'local' })
    expect(textOf(await asks(fetcher, `${site}/busy`))).toBe('page /busy')
  })

  it('nor is one that GOAWAY ended, and the next goes over a new connection', async () => {
    const { site, seen } = await serverOf((stream, headers) => {
      if (headers[':path'] === '/leaving') stream.session?.goaway(0, (stream.id ?? 0) - 2)
      else page(stream, headers)
    })
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    await asks(fetcher, site)
    expect((await asks(fetcher, `${site}/leaving`)).failure).toMatchObject({ code: 'AVO_STALE_SOCKET', blame: 'local' })
    expect(textOf(await asks(fetcher, `${site}/next`))).toBe('page /next')
    expect(seen.connections).toBe(2)
  })
})

describe('a server that ends each connection after two streams', () => {
  const takesTwo: Answer = (stream, headers) => {
    if (stream.id === 3) stream.session?.goaway(0, 3)
    page(stream, headers)
  }

  it('refuses streams once, and then gets two on each connection', async () => {
    const { site, seen } = await serverOf(takesTwo, 'http2')
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })
    const round = (count: number): Promise<Outcome[]> =>
      Promise.all(Array.from({ length: count }, (_, at) => asks(fetcher, `${site}/${at}`)))

    const [first, second] = [await round(8), await round(8)]

    expect(first.map(({ failure }) => failure?.code).filter((code) => code === 'AVO_STALE_SOCKET')).toHaveLength(6)
    expect(second.map(textOf)).toEqual(Array.from({ length: 8 }, (_, at) => `page /${at}`))
    expect(seen).toMatchObject({ connections: 5, http1: 0 })
  })

  it('gets more of them once it has stopped', async () => {
    let isLimited = true
    const { site, seen } = await serverOf((...asked) => (isLimited ? takesTwo : page)(...asked))
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })
    const round = (): Promise<Outcome[]> => Promise.all([1, 2, 3, 4].map((at) => asks(fetcher, `${site}/${at}`)))

    await round()
    isLimited = false
    await round()
    const before = seen.connections
    await round()

    expect(seen.connections).toBe(before + 1)
  })
})

/** A server of frames: begins with `first`, and answers the first request with `answer`. */
async function framesOf(first: string, answer: (socket: tls.TLSSocket) => void = () => {}): Promise<string> {
  const server = tls.createServer({ ...SELF_SIGNED, ALPNProtocols: ['h2'], allowHalfOpen: true }, (socket) => {
    let [heard, isAsked] = ['', false]
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        heard += chunk.toString('latin1')
        if (isAsked || !heard.includes(HEADERS)) return
        isAsked = true
        answer(socket)
      })
    socket.write(SETTINGS + first, 'latin1')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`
}

const SETTINGS = '\0\0\0\x04\0\0\0\0\0'
/** Type, flags and stream of a request without a body. */
const HEADERS = '\x01\x05\0\0\0\x01'
const GOAWAY = `\0\0\x08\x07\0${'\0'.repeat(12)}`

describe('a server that says GOAWAY and keeps its side open', () => {
  it('holds up neither the next exchange nor the end', async () => {
    const site = await framesOf(GOAWAY)
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    const { failure } = await asks(fetcher, site)
    await fetcher.close()

    expect(failure).toMatchObject({ code: 'AVO_STALE_SOCKET', blame: 'local' })
    expect(fetcher.connections?.()).toEqual({ open: 0, busy: 0 })
  })
})

describe('a body without a length', () => {
  const HEAD = '\0\0\x01\x01\x04\0\0\0\x01\x88'
  const DATA = '\0\0\x04\0\0\0\0\0\x01part'

  it.each([
    ['a reset', '\0\0\x04\x03\0\0\0\0\x01\0\0\0\x08'],
    ['the end of the connection', ''],
    ['GOAWAY and the end', GOAWAY.replace(/\0{8}$/, '\0\0\0\x01\0\0\0\0')],
  ])('is cut short by %s', async (_what, frames) => {
    const site = await framesOf('', (socket) => socket.end(HEAD + DATA + frames, 'latin1'))

    expect((await asks(fetcherOf({ ca: SELF_SIGNED.cert }), site)).failure).toMatchObject({ code: 'AVO_TRUNCATED' })
  })
})

describe('header fields without an end', () => {
  it('cost their exchanges, and not the process as it collects its garbage', async () => {
    const script = fileURLToPath(new URL('fixtures/endless-fields.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script, '20'])

    expect(stdout).toBe('320\n')
  })
})

describe('downloads that wait for their disk', () => {
  it('hold up no sibling, and go on from where they were', async () => {
    const large = Buffer.alloc(8 * 2 ** 20, 'avocet ')
    const { site, seen } = await serverOf((stream, headers) => {
      if (headers[':path'] !== '/large') return page(stream, headers)
      stream.respond({ ':status': 200 })
      Readable.from(piecesOf(large)).pipe(stream)
    })
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })
    const savers = Array.from({ length: 8 }, () => new WatchedSaver({ fullEvery: 4 * 2 ** 20, drainsByHand: true }))
    const saved = savers.map((save) => asks(fetcher, `${site}/large`, { save }))
    while (savers.some(({ bytes }) => bytes < 4 * 2 ** 20)) await new Promise((next) => setImmediate(next))

    expect(textOf(await asks(fetcher, `${site}/sibling`))).toBe('page /sibling')
    for (const saver of savers) saver.drain()

    for (const { response } of await Promise.all(saved)) expect(response?.saved?.bytes).toBe(large.length)
    expect(seen.connections).toBe(1)
  })
})

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

describe('a connection with PING frames', () => {
  /** Sends `count` of them, and waits until they are acknowledged. */
  const pings = async (session: http2.ServerHttp2Session | undefined, count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent++)
      await new Promise<void>((resolve, reject) => session?.ping((error) => (error === null ? resolve() : reject(error))))
  }
  const slowly = async (
    clock: Clock & { later(ms: number): void },
    stream: http2.ServerHttp2Stream,
    everyMs: number,
  ): Promise<void> => {
    stream.respond({ ':status': 200 })
    stream.write('slow ')
    for (let round = 0; round < 10; round++) {
      await pings(stream.session as http2.ServerHttp2Session, 50)
      clock.later(everyMs)
    }
    stream.end('page')
  }

  it.each([
    ['keeps a slow body, however many they are', 10_000, { text: 'slow page' }],
    ['ends where they are a flood', 10, { code: 'AVO_PROTOCOL' }],
  ])('%s', async (_title, everyMs, expected) => {
    const [real, limits] = [systemClock(), { idleMs: Infinity, totalMs: Infinity, minBytesPerSecond: 0 }]
    let skewMs = 0
    const clock = { ...real, monotonic: () => real.monotonic() + skewMs, later: (ms: number) => void (skewMs += ms) }
    const { site } = await serverOf((stream) => void slowly(clock, stream, everyMs).catch(() => {}), 'http2')
    const outcome = await asks(fetcherOf({ ca: SELF_SIGNED.cert, clock }), site, { limits })

    expect({
      ...(outcome.response && { text: textOf(outcome) }),
      ...(outcome.failure && { code: outcome.failure.code }),
    }).toEqual(expected)
  })
})

describe('a host that breaks over HTTP/2', () => {
  const broken: Answer = (stream) => stream.close(http2.constants.NGHTTP2_PROTOCOL_ERROR)

  it('is not blamed, and asked over HTTP/1.1 next', async () => {
    const { site, seen } = await serverOf(broken)
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    expect((await asks(fetcher, site)).failure).toMatchObject({ code: 'AVO_STALE_SOCKET', blame: 'local' })
    expect(textOf(await asks(fetcher, site))).toBe('by HTTP/1.1')
    expect(seen).toMatchObject({ http1: 1, http2: 1 })
  })

  it('by GOAWAY is not blamed where it speaks nothing else, either', async () => {
    const { site } = await serverOf((stream) => {
      stream.session?.goaway(0, stream.id)
      stream.session?.destroy()
    }, 'http2')
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    for (let time = 0; time < 3; time++) {
      const { failure } = await asks(fetcher, site)
      expect(failure).toMatchObject({ code: 'AVO_STALE_SOCKET', blame: 'local' })
    }
  })

  it('and speaks nothing else is to blame, and stays crawled over HTTP/2', async () => {
    let healthy = false
    const { site } = await serverOf((stream, headers) => (healthy ? page : broken)(stream, headers), 'http2')
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    await asks(fetcher, site)
    expect((await asks(fetcher, site)).failure).toMatchObject({ code: 'AVO_PROTOCOL', blame: 'host' })
    healthy = true
    expect(textOf(await asks(fetcher, site))).toBe('page /')
  })
})
