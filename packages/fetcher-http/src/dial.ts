// Opens a connection for somebody who speaks to the host himself, such as a browser: by the same rules as for requests of the crawl, and no further than TCP.
import type { Dialled, DialTarget } from '@avocet/core/store'
import { basicCredentials } from './proxies/http-connect.ts'
import type { RawConnectors } from './connections.ts'
import { connectGuarded, type Connected, type RawConnector } from './connector.ts'
import { connectThrough, forwards } from './proxies/proxy-connector.ts'

/** Rejects like `connectGuarded` and `connectThrough`, and when `signal` aborts. */
export function dial(raw: RawConnectors, target: DialTarget): Promise<Dialled> {
  const { hostname, port, isPlain, privateAllowed, proxy, signal } = target
  const { promise, resolve, reject } = Promise.withResolvers<Dialled>()
  const isForwarded = proxy !== undefined && isPlain && forwards(proxy, 'http:')
  // What is not http goes into a tunnel, whatever it is.
  const protocol = proxy === undefined || isPlain ? 'http:' : 'https:'
  const destination = { hostname, host: hostname, protocol, port: String(port) }
  const give = (): void => {
    attempt.socket?.destroy()
    reject(signal.reason as Error)
  }
  const connected: Connected = (error, socket) => {
    signal.removeEventListener('abort', give)
    if (error !== null) return reject(error)
    if (signal.aborted) return void socket.destroy()
    resolve({ socket, ...(isForwarded && { proxyFields: fieldsFor(basicCredentials(proxy)) }) })
  }
  const attempt =
    proxy === undefined
      ? connectGuarded(privateAllowed ? raw.any : raw.publicOnly, { destination, privateAllowed }, connected)
      : connectThrough(raw.any, { destination, privateAllowed, proxy, inside: asItIs }, connected)
  signal.addEventListener('abort', give, { once: true })
  if (signal.aborted) give()
  return promise
}

function fieldsFor(credentials: string | undefined): Readonly<Record<string, string>> {
  return credentials === undefined ? {} : { 'proxy-authorization': credentials }
}

/** In the tunnel nothing is spoken yet. */
const asItIs: RawConnector = ({ httpSocket }, connected) => {
  if (httpSocket === undefined) throw new TypeError('expected a tunnel, got none')
  queueMicrotask(() => connected(null, httpSocket))
  return httpSocket
}
