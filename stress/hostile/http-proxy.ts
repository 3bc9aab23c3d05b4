// One connection of an HTTP proxy for tests: a tunnel by CONNECT, or requests forwarded to the host of the first one.
import type { Socket } from 'node:net'
import { join, type ProxyDesk } from './proxy-desk.ts'

const LIE = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlie!'

/** A request head, as text, and what follows it. */
interface Asked {
  readonly method: string
  readonly target: string
  readonly head: string
  readonly bodyBytes: number
}

/** Serves `client` until it closes. */
export function serveHttpProxy(client: Socket, desk: ProxyDesk): void {
  let unread: Buffer = Buffer.alloc(0)
  let upstream: Socket | undefined
  let bodyBytes = 0
  const read = (chunk: Buffer): void => {
    unread = Buffer.concat([unread, chunk])
    while (unread.length > 0) {
      if (bodyBytes > 0) {
        const body = unread.subarray(0, bodyBytes)
        bodyBytes -= body.length
        unread = unread.subarray(body.length)
        upstream?.write(body)
        continue
      }
      const end = unread.indexOf('\r\n\r\n')
      if (end < 0) return
      const asked = askedOf(unread.toString('latin1', 0, end))
      unread = unread.subarray(end + 4)
      desk.seen.targets.push(asked.target)
      if (failed(client, asked, desk)) return
      if (asked.method === 'CONNECT') {
        client.off('data', read)
        return tunnel(client, asked.target, desk)
      }
      bodyBytes = asked.bodyBytes
      upstream = forward(client, asked, { upstream, desk })
    }
  }
  client.on('data', read)
}

function askedOf(head: string): Asked {
  const [method = '', target = ''] = head.split(' ', 2)
  return { method, target, head, bodyBytes: Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) }
}

/** Whether the proxy answered for itself. */
function failed(client: Socket, { method, head }: Asked, { options, seen, behaviour }: ProxyDesk): boolean {
  const { credentials } = options
  const given = /\r\nproxy-authorization: *Basic ([^\r\n]*)/i.exec(head)?.[1]
  const wanted = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  const now = behaviour()
  if (now === 'denies' || (wanted !== undefined && given !== wanted)) {
    seen.denied += 1
    client.write('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="p"\r\nContent-Length: 0\r\n\r\n')
    return true
  }
  if (now === 'hangs') return true
  if (now === 'hangs-up') client.end()
  else if (now === 'garbage') client.end('220 mail.example ESMTP\r\n')
  else if (now === 'drips') drip(client)
  else if (now === 'refuses') client.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
  else if (now === 'unreachable') client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
  else if (now === 'lies') client.end(method === 'CONNECT' ? `HTTP/1.1 200 OK\r\n\r\n${LIE}` : LIE)
  else return false
  return true
}

/** A head that never ends, a field after the other. */
function drip(client: Socket): void {
  client.write('HTTP/1.1 200 OK\r\n')
  const more = (): void => {
    while (!client.destroyed && client.write('X-More: x\r\n'));
  }
  client.on('drain', more)
  more()
}

function tunnel(client: Socket, target: string, desk: ProxyDesk): void {
  const { hostname, port } = new URL(`http://${target}`)
  // The port of a tunnel to 80 is dropped by the URL parser.
  const upstream = desk.connect(client, hostname, Number(port === '' ? 80 : port))
  upstream.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    client.on('data', (chunk: Buffer) => void upstream.write(chunk))
    join(client, upstream, desk.behaviour() === 'cuts')
  })
  upstream.once('error', () => {
    if (upstream.connecting || upstream.bytesRead === 0) client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
  })
}

function forward(client: Socket, asked: Asked, { upstream, desk }: { upstream: Socket | undefined; desk: ProxyDesk }): Socket {
  const url = new URL(asked.target)
  const to = upstream ?? desk.connect(client, url.hostname, Number(url.port === '' ? 80 : url.port))
  if (upstream === undefined) {
    to.once('connect', () => join(client, to, desk.behaviour() === 'cuts'))
    to.once('error', () => {
      if (to.bytesWritten === 0) client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
    })
  }
  const line = `${asked.method} ${url.pathname}${url.search} HTTP/1.1`
  const fields = asked.head
    .split('\r\n')
    .slice(1)
    .filter((field) => !/^proxy-/i.test(field))
  to.write(`${[line, ...fields].join('\r\n')}\r\n\r\n`)
  return to
}
