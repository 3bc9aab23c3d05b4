// What the fetcher promises about proxies, over real sockets: whose fault a failure is, what the host and the proxy see, and what is never sent twice.
import type { ProxyServer } from '@avocet/core/plugin'
import { proxyServerOf } from '../../plugin-proxies/src/proxy-server.ts'
import { systemClock } from '@avocet/core/store'
import { once } from 'node:events'
import type net from 'node:net'
import tls from 'node:tls'
import { startRoughWeb } from '@avocet/stress/rough-web'
import { fetcherContract } from '@avocet/testkit/contracts'
import { startTestProxy, type ProxyBehaviour, type TestProxy, type TestProxyOptions } from '@avocet/stress/hostile'
import { describe, expect, it, onTestFinished } from 'vitest'
import { undiciFetcher } from '../src/undici-fetcher.ts'
import { SELF_SIGNED } from './certificates.ts'
import { exchange, fetcherOf, ok, onRequest, says, tcp, textOf, type Ask, type Outcome } from './web.ts'

const KINDS = ['http', 'https', 'socks5'] as const
const CREDENTIALS = { username: 'me', password: 'p:ä@ss' }

function serverOf(url: string, credentials?: typeof CREDENTIALS): ProxyServer {
  const server = proxyServerOf(url)
  if (typeof server === 'string') throw new Error(server)
  return { ...server, ...credentials }
}

async function proxyOf(kind: TestProxyOptions['kind'], options: Partial<TestProxyOptions> = {}): Promise<TestProxy> {
  const proxy = await startTestProxy({ kind, certificate: SELF_SIGNED, ...options })
  onTestFinished(() => proxy.close())
  return proxy
}

function ask(proxy: TestProxy | ProxyServer, url: string, how: Ask = {}): Promise<Outcome> {
  const server = 'seen' in proxy ? serverOf(proxy.url) : proxy
  return exchange(fetcherOf({ ca: SELF_SIGNED.cert }), url, { ...how, proxy: server })
}

/** A host over TLS for `localhost`; `heads` of the requests that it saw. */
async function secureHost(): Promise<{ readonly port: number; readonly heads: string[] }> {
  const heads: string[] = []
  const server = tls.createServer(SELF_SIGNED, (socket) => {
    socket.on('error', () => {})
    onRequest(socket, (_n, head) => {
      heads.push(head)
      socket.write(ok('secure'))
    })
  })
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as net.AddressInfo).port, heads }
}

for (const kind of KINDS) {
  fetcherContract(`undici through a proxy (${kind})`, async (model) => {
    const web = await startRoughWeb(model)
    const proxy = await startTestProxy({ kind, certificate: SELF_SIGNED })
    const fetcher = undiciFetcher({ clock: systemClock(), limits: { maxWireBytes: 2 ** 20 }, ca: SELF_SIGNED.cert })
    return {
      fetcher,
      model: web.model,
      proxy: serverOf(proxy.url),
      felt: (host) => web.felt(host),
      run: (work) => work(),
      async close() {
        await fetcher.close()
        await proxy.close()
        await web.close()
      },
    }
  })
}

describe.each(KINDS)('a host behind a proxy (%s)', (kind) => {
  it('over TLS is asked in a tunnel, under its own name and with its own certificate', async () => {
    const host = await secureHost()
    const proxy = await proxyOf(kind, { route: () => ({ hostname: '127.0.0.1', port: host.port }) })

    const right = await ask(proxy, 'https://localhost/page')
    const wrong = await ask(proxy, 'https://shop.example/page')

    expect(textOf(right)).toBe('secure')
    expect(right.calls).toEqual(['sent', 'headers', 'done'])
    expect(right.response?.remoteAddress).toBeUndefined()
    expect(wrong.failure).toMatchObject({ code: 'AVO_TLS_CERTIFICATE', phase: 'tls', sent: false, blame: 'host' })
    expect(proxy.seen.targets).toEqual(['localhost:443', 'shop.example:443'])
    expect(host.heads).toHaveLength(1)
    expect(host.heads[0]).toMatch(/^GET \/page HTTP\/1\.1\r\nhost: localhost\r\n/i)
  })

  it('is asked for with credentials that the host never sees', async () => {
    const heads: string[] = []
    const site = await tcp((socket) =>
      onRequest(socket, (_n, head) => {
        heads.push(head)
        socket.write(ok('page'))
      }),
    )
    const proxy = await proxyOf(kind, { credentials: CREDENTIALS })
    const server = serverOf(proxy.url, CREDENTIALS)

    expect(textOf(await ask(server, `${site}/a?b=1`))).toBe('page')
    expect(heads[0]).toMatch(/^GET \/a\?b=1 HTTP\/1\.1\r\n/)
    expect(heads[0]).not.toMatch(/proxy-/i)
  })

  it('keeps its connection for the next request of the same host, name and password, and of nobody else', async () => {
    const [first, second] = [await says(ok('1'), 'keep'), await says(ok('2'), 'keep')]
    const proxy = await proxyOf(kind)
    const fetcher = fetcherOf({ ca: SELF_SIGNED.cert })
    const server = serverOf(proxy.url)

    await exchange(fetcher, first, { proxy: server })
    const again = await exchange(fetcher, first, { proxy: server })
    const other = await exchange(fetcher, second, { proxy: server })
    const direct = await exchange(fetcher, first)

    expect(again.response?.timings.reusedSocket).toBe(true)
    expect(other.response?.timings.reusedSocket).toBe(false)
    expect(direct.response?.timings.reusedSocket).toBe(false)
    expect(proxy.seen.connections).toBe(2)
  })

  it.each(['http://127.0.0.1:4001/', 'http://[::1]/', 'http://2130706433/', 'http://localhost/', 'https://a.localhost./'])(
    'is refused at %s, without a word to the proxy',
    async (url) => {
      const proxy = await proxyOf(kind)

      const { failure } = await ask(proxy, url, { privateAllowed: false })

      expect(failure).toMatchObject({ code: 'AVO_ADDRESS_REFUSED', blame: 'url', sent: false })
      expect(proxy.seen.connections).toBe(0)
    },
  )
})

/** What a proxy does, what the tunnel to a host comes to, and whose fault that looks like. */
const TROUBLE: readonly (readonly [TestProxyOptions['kind'], ProxyBehaviour, object])[] = [
  ['http', 'denies', { code: 'AVO_PROXY_AUTH', blame: 'proxy' }],
  ['http', 'refuses', { code: 'AVO_PROXY_REFUSED', blame: 'proxy' }],
  ['http', 'unreachable', { code: 'AVO_PROXY_REFUSED', blame: 'proxy' }],
  ['http', 'hangs', { code: 'AVO_PROXY_TIMEOUT', blame: 'proxy' }],
  ['http', 'hangs-up', { code: 'AVO_PROXY_REFUSED', blame: 'proxy' }],
  ['http', 'garbage', { code: 'AVO_PROXY_PROTOCOL', blame: 'proxy' }],
  ['http', 'drips', { code: 'AVO_PROXY_PROTOCOL', blame: 'proxy' }],
  ['http', 'cuts', { code: 'AVO_TLS_FAILED', blame: 'host' }],
  ['http', 'lies', { code: 'AVO_TLS_FAILED', blame: 'host' }],
  ['https', 'denies', { code: 'AVO_PROXY_AUTH', blame: 'proxy' }],
  ['https', 'hangs', { code: 'AVO_PROXY_TIMEOUT', blame: 'proxy' }],
  ['socks5', 'denies', { code: 'AVO_PROXY_AUTH', blame: 'proxy' }],
  ['socks5', 'refuses', { code: 'AVO_PROXY_REFUSED', blame: 'proxy' }],
  ['socks5', 'unreachable', { code: 'AVO_CONNECT_FAILED', blame: 'host' }],
  ['socks5', 'hangs', { code: 'AVO_PROXY_TIMEOUT', blame: 'proxy' }],
  ['socks5', 'hangs-up', { code: 'AVO_PROXY_REFUSED', blame: 'proxy' }],
  ['socks5', 'garbage', { code: 'AVO_PROXY_PROTOCOL', blame: 'proxy' }],
  ['socks5', 'drips', { code: 'AVO_PROXY_TIMEOUT', blame: 'proxy' }],
]

describe('a proxy in trouble', () => {
  it.each(TROUBLE)('that is %s and %s: %o, also where HTTP/2 is offered', async (kind, behaviour, expected) => {
    const { port } = await secureHost()
    const proxy = await proxyOf(kind, { route: () => ({ hostname: '127.0.0.1', port }) })
    proxy.behaviour = behaviour

    for (const http2 of [false, true]) {
      const { failure, calls } = await ask(proxy, 'https://shop.example/', { limits: { connectMs: 400 }, http2 })
      expect(failure).toMatchObject({ ...expected, sent: false })
      expect(calls).toEqual(['failed'])
    }
    await expect.poll(() => proxy.open).toBe(0)
  })

  it.each([
    ['http', 'http://shop.example/'],
    ['http', 'https://shop.example/'],
    ['https', 'http://shop.example/'],
    ['https', 'https://shop.example/'],
    ['socks5', 'http://shop.example/'],
  ] as const)('that is not there is its own fault (%s to %s)', async (kind, url) => {
    const { failure } = await ask(serverOf(`${kind}://127.0.0.1:1`), url)

    expect(failure).toMatchObject({ code: 'AVO_PROXY_UNREACHABLE', blame: 'proxy', sent: false })
  })

  it('that has no address is its own fault', async () => {
    const fetcher = fetcherOf({
      resolve: (_name, answer) => answer({ error: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) }),
    })

    const { failure } = await exchange(fetcher, 'http://shop.example/', { proxy: serverOf('http://proxy.example:8080') })

    expect(failure).toMatchObject({ code: 'AVO_PROXY_UNREACHABLE', phase: 'dns' })
  })

  it('is not to blame where this machine lacks descriptors', async () => {
    const fetcher = fetcherOf({
      resolve: (_name, answer) => answer({ error: Object.assign(new Error('no'), { code: 'EMFILE' }) }),
    })

    const { failure } = await exchange(fetcher, 'http://shop.example/', { proxy: serverOf('http://proxy.example:8080') })

    expect(failure).toMatchObject({ code: 'AVO_LOCAL_RESOURCES', blame: 'local', sent: false })
  })

  it('whose certificate nobody vouches for is its own fault', async () => {
    const proxy = await proxyOf('https')

    const { failure } = await exchange(fetcherOf(), 'https://shop.example/', { proxy: serverOf(proxy.url) })

    expect(failure).toMatchObject({ code: 'AVO_PROXY_UNREACHABLE', phase: 'tls' })
  })

  it('that does not accept a connection in time is its own fault', async () => {
    const silent = await tcp(() => {})

    const { failure } = await ask(serverOf(silent.replace('http:', 'https:')), 'http://shop.example/', {
      limits: { connectMs: 200 },
    })

    expect(failure).toMatchObject({ code: 'AVO_PROXY_UNREACHABLE', sent: false })
  })

  it('that forwards and answers 407 is its own fault, and nothing was sent to the host', async () => {
    const proxy = await proxyOf('http', { credentials: CREDENTIALS })

    const without = await ask(proxy, 'http://shop.example/', { method: 'POST', body: 'x' })
    const wrong = await ask(serverOf(proxy.url, { username: 'me', password: 'wrong' }), 'http://shop.example/')

    expect(without.failure).toMatchObject({ code: 'AVO_PROXY_AUTH', blame: 'proxy', sent: false })
    expect(without.failure?.message).toContain('write the user name and the password into its URL')
    expect(wrong.failure?.message).toContain('correct them')
    expect(wrong.failure?.message).not.toContain('wrong')
  })

  it('may forward its own 503, which counts as an answer of the host', async () => {
    const proxy = await proxyOf('http')
    proxy.behaviour = 'refuses'

    expect((await ask(proxy, 'http://shop.example/')).response?.status).toBe(503)
  })

  it('does not make a 407 of a host its own', async () => {
    const site = await says('HTTP/1.1 407 Nonsense\r\nContent-Length: 0\r\n\r\n')
    const proxy = await proxyOf('socks5')

    expect((await ask(proxy, site)).response?.status).toBe(407)
  })
})

describe('an exchange that is aborted', () => {
  it.each(['hangs', 'drips'] as const)('while the proxy %s leaves no connection behind', async (behaviour) => {
    const proxy = await proxyOf('socks5')
    proxy.behaviour = behaviour
    const fetcher = fetcherOf()
    const abort = fetcher.fetch(
      {
        url: 'http://shop.example/',
        method: 'GET',
        headers: {},
        privateAllowed: true,
        limits: LIMITS,
        proxy: serverOf(proxy.url),
      },
      { sent: () => {}, headers: () => 'read', done: () => {}, failed: () => {} },
    )
    await expect.poll(() => proxy.open).toBe(1)

    abort()

    await expect.poll(() => proxy.open).toBe(0)
    expect(fetcher.connections?.().open).toBe(0)
  })
})

const LIMITS = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000, totalMs: 9_000, minBytesPerSecond: 0 }
