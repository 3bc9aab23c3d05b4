// What the fetcher promises about connections: which it opens, which it keeps, and what it lets go.
import { systemClock } from '@avocet/core/store'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type net from 'node:net'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { undiciFetcher } from '../src/undici-fetcher.ts'
import type { Resolve } from '../src/lookup.ts'
import { EXPIRED, LEAF_ALONE, SELF_SIGNED } from './certificates.ts'
import { exchange, fetcherOf, floods, ok, onRequest, outbound, says, tcp, textOf } from './web.ts'

const AT_HOME: Resolve = (_name, answer) => answer({ addresses: [{ address: '127.0.0.1', family: 4 }] })
const REFUSED = { code: 'AVO_ADDRESS_REFUSED', blame: 'url', sent: false }

/** A server that counts who comes in, and how many bytes they sent. */
async function counted(): Promise<{
  readonly site: string
  readonly port: string
  seen: () => { connections: number; bytes: number }
}> {
  let [connections, bytes] = [0, 0]
  const site = await tcp((socket) => {
    connections += 1
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
    onRequest(socket, () => socket.write(ok('home')))
  })
  return { site, port: new URL(site).port, seen: () => ({ connections, bytes }) }
}

it('the address of a name is known once it was looked up, for a connection or without one', () => {
  let answer: Parameters<Resolve>[1] = () => undefined
  const fetcher = fetcherOf({
    resolve(name, then) {
      if (name === 'late.test') answer = then
      else then({ error: new Error('ENOTFOUND') })
    },
  })

  expect(fetcher.addressOf?.('late.test')).toBeUndefined()
  answer({ addresses: [{ address: '192.0.2.7', family: 4 }], ttlMs: 60_000 })
  expect(fetcher.addressOf?.('late.test')).toBe('192.0.2.7')
  expect(fetcher.addressOf?.('missing.test')).toBe('')
  expect(fetcher.addressOf?.('203.0.113.1')).toBe('203.0.113.1')
})

describe('a connection that is refused', () => {
  it.each(['http', 'https'])('by a host whose address is cached is told as that, over %s', async (scheme) => {
    const fetcher = fetcherOf({ resolve: AT_HOME })
    const outcomes = [
      await exchange(fetcher, `${scheme}://shop.test:9999/`),
      await exchange(fetcher, `${scheme}://shop.test:9999/`),
    ]
    for (const { failure } of outcomes) expect(failure).toMatchObject({ code: 'AVO_CONNECT_REFUSED', phase: 'connect' })
  })

  it('by a proxy whose address is cached is told as that', async () => {
    const fetcher = fetcherOf({ resolve: AT_HOME })
    const proxy = { id: 'a', url: 'http://proxy.test:9999', kind: 'http', hostname: 'proxy.test', port: 9999 } as const
    const [first, second] = [
      await exchange(fetcher, 'http://shop.test/', { proxy }),
      await exchange(fetcher, 'http://shop.test/', { proxy }),
    ]
    for (const { failure } of [first, second]) expect(failure).toMatchObject({ code: 'AVO_PROXY_UNREACHABLE', phase: 'connect' })
  })
})

describe('private addresses', () => {
  it.each(['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1'])(
    'refuses %s without a packet',
    async (literal) => {
      const { port, seen } = await counted()
      const { failure, calls } = await exchange(fetcherOf(), `http://${literal}:${port}/`, { privateAllowed: false })
      expect(failure).toMatchObject(REFUSED)
      expect(calls).toEqual(['failed'])
      expect(seen()).toEqual({ connections: 0, bytes: 0 })
    },
  )

  it('refuses a name that leads home', async () => {
    const { port, seen } = await counted()
    const { failure } = await exchange(fetcherOf({ resolve: AT_HOME }), `http://shop.test:${port}/`, { privateAllowed: false })
    expect(failure).toMatchObject({ ...REFUSED, phase: 'dns' })
    expect(seen().connections).toBe(0)
  })

  it('refuses localhost, which needs no resolver to be home', async () => {
    const { port, seen } = await counted()
    const { failure } = await exchange(fetcherOf(), `http://localhost:${port}/`, { privateAllowed: false })
    expect(failure).toMatchObject(REFUSED)
    expect(seen().connections).toBe(0)
  })

  it('never lets an exchange that may not use a connection home', async () => {
    const { site, seen } = await counted()
    const fetcher = fetcherOf()
    expect(textOf(await exchange(fetcher, site))).toBe('home')
    const { bytes } = seen()
    const { failure } = await exchange(fetcher, site, { privateAllowed: false })
    expect(failure).toMatchObject(REFUSED)
    expect(seen()).toEqual({ connections: 1, bytes })
  })
})

describe('names', () => {
  it('tells a name that does not exist from a name server that fails', async () => {
    const failing =
      (code: string): Resolve =>
      (_name, answer) =>
        answer({ error: Object.assign(new Error(code), { code }) })
    const missing = await exchange(fetcherOf({ resolve: failing('ENOTFOUND') }), 'http://shop.test/')
    const broken = await exchange(fetcherOf({ resolve: failing('EAI_AGAIN') }), 'http://shop.test/')
    expect(missing.failure).toMatchObject({ code: 'AVO_DNS_NOT_FOUND', phase: 'dns' })
    expect(broken.failure).toMatchObject({ code: 'AVO_DNS_FAILED', phase: 'dns' })
  })

  it('gives up on a name server that does not answer', async () => {
    const { failure } = await exchange(fetcherOf({ resolve: () => {} }), 'http://shop.test/', { limits: { connectMs: 100 } })
    expect(failure).toMatchObject({ code: 'AVO_DNS_FAILED', phase: 'dns', sent: false })
  })

  it('sends the name and not the address', async () => {
    let head = ''
    const site = await tcp((socket) =>
      onRequest(socket, (_n, came) => {
        head = came
        socket.write(ok('x'))
      }),
    )
    const { port } = new URL(site)
    await exchange(fetcherOf({ resolve: AT_HOME }), `http://shop.test:${port}/a?b=c`)
    expect(head.split('\r\n').slice(0, 2)).toEqual(['GET /a?b=c HTTP/1.1', `host: shop.test:${port}`])
  })
})

describe('requests', () => {
  it.each([
    ['header value with a line break', { headers: { a: 'b\r\nc: d' } }],
    ['header name with a space', { headers: { 'a b': 'c' } }],
    ['method that is no token', { method: 'GE T' }],
    ['method that opens a tunnel', { method: 'CONNECT' }],
    ['transfer-encoding', { headers: { 'transfer-encoding': 'chunked' } }],
  ])('%s is not sent', async (_name, ask) => {
    const { site, seen } = await counted()
    const fetcher = fetcherOf()
    const { failure, calls } = await exchange(fetcher, site, ask)
    expect(failure).toMatchObject({ code: 'AVO_REQUEST_INVALID', blame: 'user', sent: false })
    expect(calls).toEqual(['failed'])
    expect(seen().bytes).toBe(0)
    expect(textOf(await exchange(fetcher, site))).toBe('home')
  })

  it.each(['', 'shop', 'ftp://shop.test/', 'http://'])('URL "%s" is not requested', async (url) => {
    expect((await exchange(fetcherOf(), url)).failure).toMatchObject({ code: 'AVO_REQUEST_INVALID' })
  })

  it('failure is not passed on before fetch has returned', async () => {
    const { site } = await counted()
    const fetcher = fetcherOf()
    for (const url of [site, 'ftp://shop.test/', 'http://127.0.0.1:22/']) {
      let told = false
      const receiver = { sent() {}, headers: () => 'read' as const, done() {} }
      const failed = new Promise<void>((resolve) => {
        fetcher.fetch(outbound(url, { headers: { 'a b': 'c' } }), { ...receiver, failed: () => resolve(void (told = true)) })
      })
      expect(told).toBe(false)
      await failed
    }
  })

  it('invalid header on a kept connection leaves the connection alone', async () => {
    const { site } = await counted()
    const fetcher = fetcherOf()
    await exchange(fetcher, site)
    expect((await exchange(fetcher, site, { headers: { a: '\n' } })).failure).toMatchObject({ code: 'AVO_REQUEST_INVALID' })
  })

  it('body is sent with its length in bytes', async () => {
    let came = ''
    const site = await tcp((socket) => {
      socket.on('data', (chunk: Buffer) => {
        came += chunk.toString()
        if (came.endsWith('é')) socket.write(ok('x'))
      })
    })
    const { response } = await exchange(fetcherOf(), site, {
      method: 'POST',
      body: 'caf\u00e9',
      headers: { 'content-type': 'text/plain' },
    })
    expect(response?.status).toBe(200)
    expect(came).toContain('content-length: 5\r\n')
  })

  it.each([
    [{}, 'gzip, deflate, br, zstd'],
    [{ 'accept-encoding': 'identity' }, 'identity'],
  ])('accept-encoding of %o is %s', async (headers, expected) => {
    let head = ''
    const site = await tcp((socket) =>
      onRequest(socket, (_n, came) => {
        head = came
        socket.write(ok('x'))
      }),
    )
    await exchange(fetcherOf(), site, { headers })
    expect(head).toContain(`accept-encoding: ${expected}`)
  })
})

describe('unwanted bodies', () => {
  it('small one is drained, and the connection used again', async () => {
    const { site, seen } = await counted()
    const fetcher = fetcherOf()
    const first = await exchange(fetcher, site, { wish: 'discard' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    const second = await exchange(fetcher, site)
    expect(first.response).toMatchObject({ status: 200, wireBytes: 0 })
    expect(second.response?.timings.reusedSocket).toBe(true)
    expect(seen().connections).toBe(1)
  })

  it.each([
    ['announced', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n'],
    ['without an end', 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('[67] large one, %s, costs the connection', async (_name, head) => {
    const fetcher = fetcherOf()
    const { calls } = await exchange(fetcher, await floods(head, Buffer.alloc(65_536)), { wish: 'discard' })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(calls).toEqual(['sent', 'headers', 'done'])
    expect(fetcher.connections?.()).toEqual({ open: 0, busy: 0 })
  })

  it('large one that is announced is not waited for', async () => {
    const fetcher = fetcherOf()
    await exchange(fetcher, await says('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n', 'keep'), { wish: 'discard' })
    expect(fetcher.connections?.()).toEqual({ open: 0, busy: 0 })
  })

  it('small one that does not come is not waited for longer than two seconds', async () => {
    const fetcher = fetcherOf()
    await exchange(fetcher, await says('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', 'keep'), { wish: 'discard' })
    expect(fetcher.connections?.().busy).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 2_200))
    expect(fetcher.connections?.()).toEqual({ open: 0, busy: 0 })
  })
})

describe('kept connections', () => {
  it('are not more than allowed: the longest idle goes', async () => {
    const sites = [await says(ok('0'), 'keep'), await says(ok('1'), 'keep'), await says(ok('2'), 'keep')]
    const fetcher = fetcherOf({ maxIdleConnections: 2 })
    for (const site of sites) await exchange(fetcher, site)
    expect(fetcher.connections?.()).toEqual({ open: 2, busy: 0 })
    expect((await exchange(fetcher, sites[2] ?? '')).response?.timings.reusedSocket).toBe(true)
    expect((await exchange(fetcher, sites[0] ?? '')).response?.timings.reusedSocket).toBe(false)
  })

  it('are not written to by an exchange that was aborted before', async () => {
    const { site, seen } = await counted()
    const fetcher = fetcherOf()
    await exchange(fetcher, site)
    const { bytes } = seen()
    const calls: string[] = []
    const note = (call: string) => () => void calls.push(call)
    const receiver = { sent: note('sent'), headers: () => 'read' as const, done: note('done'), failed: note('failed') }
    fetcher.fetch(outbound(site), receiver)()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(calls).toEqual([])
    expect(seen()).toEqual({ connections: 1, bytes })
    expect(textOf(await exchange(fetcher, site))).toBe('home')
  })

  it('all go when one of them was stale, before the failure is passed on', async () => {
    const site = await tcp((socket) => {
      onRequest(socket, (request) => (request === 1 ? setTimeout(() => socket.write(ok('first')), 20) : socket.destroy()))
    })
    const fetcher = fetcherOf()
    await Promise.all([exchange(fetcher, site), exchange(fetcher, site)])
    expect(fetcher.connections?.().open).toBe(2)

    const codes: string[] = []
    const again = await new Promise((resolve) => {
      const receiver = { sent() {}, headers: () => 'read' as const, done: resolve }
      fetcher.fetch(outbound(site), {
        ...receiver,
        failed({ code }) {
          codes.push(code)
          fetcher.fetch(outbound(site), { ...receiver, failed: resolve })
        },
      })
    })
    expect(codes).toEqual(['AVO_STALE_SOCKET'])
    expect(again).toMatchObject({ status: 200, timings: { reusedSocket: false } })
  })

  it('go when the server closes them', async () => {
    const site = await tcp((socket) =>
      onRequest(socket, () => {
        socket.write(ok('x'))
        setTimeout(() => socket.end(), 10)
      }),
    )
    const fetcher = fetcherOf()
    await exchange(fetcher, site)
    expect(fetcher.connections?.().open).toBe(1)
    await expect.poll(() => fetcher.connections?.().open).toBe(0)
  })

  it('go when they were idle for long', async () => {
    const fetcher = fetcherOf({ keepAliveMs: 30 })
    await exchange(fetcher, await says(ok('x'), 'keep'))
    await expect.poll(() => fetcher.connections?.().open).toBe(0)
  })

  it('do not outlive a connection-close answer, even for an exchange that starts in its done', async () => {
    let connections = 0
    const site = await tcp((socket, n) => {
      connections = n
      onRequest(socket, () => socket.end(ok('x', 'Connection: close\r\n')))
    })
    const fetcher = fetcherOf()
    const reused = await new Promise((resolve) => {
      const receiver = { sent() {}, headers: () => 'read' as const, failed: resolve }
      const second = (): unknown =>
        fetcher.fetch(outbound(site), { ...receiver, done: ({ timings }) => resolve(timings.reusedSocket) })
      fetcher.fetch(outbound(site), { ...receiver, done: second })
    })
    expect(reused).toBe(false)
    expect(connections).toBe(2)
  })
})

describe('closing', () => {
  it('ends what is under way as aborted, and refuses what comes later', async () => {
    const fetcher = fetcherOf()
    const silent = await tcp(() => {})
    const underWay = exchange(fetcher, silent)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await fetcher.close()
    expect((await underWay).failure).toMatchObject({ code: 'AVO_ABORTED', blame: 'local' })
    expect((await exchange(fetcher, silent)).failure).toMatchObject({ code: 'AVO_ABORTED', sent: false })
    expect(fetcher.connections?.()).toEqual({ open: 0, busy: 0 })
  })

  it('ends what is still connecting', async () => {
    const fetcher = undiciFetcher({ clock: systemClock(), resolve: () => {} })
    const underWay = exchange(fetcher, 'http://shop.test/')
    await fetcher.close()
    expect((await underWay).failure).toMatchObject({ code: 'AVO_ABORTED', sent: false })
  })
})

describe('TLS', () => {
  async function secure(
    certificate: { readonly key: string; readonly cert: string },
    protocols = ['h2', 'http/1.1'],
  ): Promise<string> {
    const server = tls.createServer({ ...certificate, ALPNProtocols: protocols }, (socket) => {
      socket.on('error', () => {})
      onRequest(socket, () => socket.write(ok(`secure ${String(socket.alpnProtocol)}`)))
    })
    server.on('tlsClientError', () => {})
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return `https://127.0.0.1:${(server.address() as net.AddressInfo).port}/`
  }

  it('fetches by HTTP/1.1 from a host with a trusted certificate', async () => {
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })
    const site = await secure(SELF_SIGNED)
    const first = await exchange(fetcher, site)
    const second = await exchange(fetcher, site)
    expect(textOf(first)).toBe('secure http/1.1')
    expect(second.response?.timings.reusedSocket).toBe(true)
  })

  it('[10] refuses a certificate that nobody vouches for', async () => {
    const { failure } = await exchange(fetcherOf(), await secure(SELF_SIGNED))
    expect(failure).toMatchObject({ code: 'AVO_TLS_CERTIFICATE', phase: 'tls', sent: false })
  })

  it('[10] tells a certificate without its intermediate one, which browsers fetch', async () => {
    const site = await secure(LEAF_ALONE)
    const { failure } = await exchange(fetcherOf(), site)
    expect(failure).toMatchObject({ code: 'AVO_TLS_INTERMEDIATE', phase: 'tls', sent: false })
    expect(failure?.message).toMatch(/^the intermediate certificate is missing \(browsers fetch it\), /)
    expect(textOf(await exchange(fetcherOf({ ca: SELF_SIGNED.cert }), site))).toBe('secure http/1.1')
  })

  it('[10] tells a server that speaks HTTP/2 only', async () => {
    const { failure } = await exchange(fetcherOf({ ca: SELF_SIGNED.cert }), await secure(SELF_SIGNED, ['h2']))
    expect(failure).toMatchObject({ code: 'AVO_TLS_HTTP2_ONLY', phase: 'tls', sent: false })
    expect(failure?.message).toMatch(/^the server speaks HTTP\/2 only: set http2: 'auto' for it under hosts /)
  })

  it('[10] refuses an expired certificate', async () => {
    const { failure } = await exchange(fetcherOf({ ca: EXPIRED.cert }), await secure(EXPIRED))
    expect(failure).toMatchObject({ code: 'AVO_TLS_CERTIFICATE', phase: 'tls' })
  })

  it('[10] refuses a certificate for another name', async () => {
    const site = (await secure(SELF_SIGNED)).replace('127.0.0.1', 'shop.test')
    const { failure } = await exchange(fetcherOf({ ca: SELF_SIGNED.cert, resolve: AT_HOME }), site)
    expect(failure).toMatchObject({ code: 'AVO_TLS_CERTIFICATE', phase: 'tls' })
  })

  it('[11] gives up on a handshake that stalls', async () => {
    const site = (await tcp(() => {})).replace('http:', 'https:')
    const { failure } = await exchange(fetcherOf(), site, { limits: { connectMs: 120 } })
    expect(failure).toMatchObject({ code: 'AVO_CONNECT_TIMEOUT', phase: 'tls', sent: false })
  })

  it('[13] tells plain HTTP on a TLS port, and TLS on a plain one', async () => {
    const plain = (await says(ok('x'))).replace('http:', 'https:')
    const tlsPort = (await secure(SELF_SIGNED)).replace('https:', 'http:')
    expect((await exchange(fetcherOf(), plain, { limits: { connectMs: 300 } })).failure?.phase).toBe('tls')
    expect((await exchange(fetcherOf(), tlsPort, { limits: { firstByteMs: 300 } })).failure?.sent).toBe(true)
  })
})

describe('descriptors', () => {
  it('that run out are our own trouble, and nobody else pays', async () => {
    const script = fileURLToPath(new URL('fixtures/few-descriptors.ts', import.meta.url))
    const [silent, healthy] = [await tcp(() => {}), await says(ok('x'))]
    const limited = 'ulimit -n 48; exec "$0" "$@"'
    const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, script, silent, healthy])
    const told = JSON.parse(stdout) as { codes: string[]; failed: number; after: string }
    expect(told).toMatchObject({ codes: ['AVO_LOCAL_RESOURCES local'], after: '200' })
    expect(told.failed).toBeGreaterThan(10)
    expect(told.failed).toBeLessThan(80)
  })
})
