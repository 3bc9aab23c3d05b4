// What the fetcher promises where HTTP/2 is wanted: one connection, streams for exchanges, and HTTP/1.1 where that is better.
import { once } from 'node:events'
import type http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type net from 'node:net'
import tls from 'node:tls'
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

/** A server that answers streams as told, and HTTP/1.1 with `by HTTP/1.1`, if it speaks that. */
async function serverOf(answer: Answer, speaks: 'both' | 'http2' | 'http1' = 'both'): Promise<Server> {
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
    if (request.httpVersionMajor !== 1) return
    seen.http1 += 1
    response.end('by HTTP/1.1')
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

describe('HTTP/2', () => {
  it('is spoken through a tunnel of a proxy', async () => {
    const { site, seen } = await serverOf(page)
    const proxy = await startTestProxy({ kind: 'http', certificate: SELF_SIGNED })
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

describe('a server that says GOAWAY and keeps its side open', () => {
  it('holds up neither the next exchange nor the end', async () => {
    const SETTINGS = '\0\0\0\x04\0\0\0\0\0'
    const GOAWAY = `\0\0\x08\x07\0${'\0'.repeat(12)}`
    const server = tls.createServer({ ...SELF_SIGNED, ALPNProtocols: ['h2'], allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {}).resume()
      socket.write(SETTINGS + GOAWAY, 'latin1')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })

    const { failure } = await asks(fetcher, `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`)
    await fetcher.close()

    expect(failure).toMatchObject({ code: 'AVO_STALE_SOCKET', blame: 'local' })
    expect(fetcher.connections?.()).toEqual({ open: 0, busy: 0 })
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
