// Proxies for tests: HTTP (forwarding and CONNECT), the same over TLS, and SOCKS5, with and without credentials, and in every way in which they fail.
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import tls from 'node:tls'
import { serveHttpProxy } from './http-proxy.ts'
import type { ProxyBehaviour, ProxyDesk, ProxySeen, TestProxy, TestProxyOptions } from './proxy-desk.ts'
import { serveSocks5 } from './socks5-proxy.ts'

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startTestProxy(options: TestProxyOptions): Promise<TestProxy> {
  const { kind, certificate } = options
  const open = new Set<Socket>()
  const seen: ProxySeen = { connections: 0, targets: [], denied: 0 }
  let behaviour: ProxyBehaviour = 'works'
  const desk: ProxyDesk = { options, seen, behaviour: () => behaviour, connect: (client, ...to) => connect(client, options, to) }
  const serve = (socket: Socket): void => {
    open.add(socket)
    seen.connections += 1
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    if (behaviour === 'hangs') return void socket.resume()
    if (kind === 'socks5') serveSocks5(socket, desk)
    else serveHttpProxy(socket, desk)
  }
  const server = kind === 'https' ? tls.createServer({ ...certificate }, serve) : net.createServer(serve)
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${kind}://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    seen,
    get behaviour() {
      return behaviour
    },
    set behaviour(next) {
      behaviour = next
    },
    get open() {
      return open.size
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function connect(client: Socket, { route }: TestProxyOptions, [hostname, port]: readonly [string, number]): Socket {
  const upstream = net.connect(typeof route === 'function' ? asAddress(route(hostname, port)) : asAddress({ hostname, port }))
  client.once('close', () => upstream.destroy())
  return upstream.on('error', () => {})
}

function asAddress({ hostname, port }: { readonly hostname: string; readonly port: number }): net.TcpNetConnectOpts {
  return { host: hostname.replace(/^\[|\]$/g, ''), port }
}
