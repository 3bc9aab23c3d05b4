// One connection of a SOCKS5 proxy for tests (RFC 1928, RFC 1929).
import type { Socket } from 'node:net'
import { join, type ProxyDesk } from './proxy-desk.ts'

const GRANTED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])

/** What is waited for. */
type Awaited = 'methods' | 'credentials' | 'request'

/** Serves `client` until it closes. */
export function serveSocks5(client: Socket, desk: ProxyDesk): void {
  let unread: Buffer = Buffer.alloc(0)
  let awaited: Awaited = 'methods'
  const read = (chunk: Buffer): void => {
    unread = Buffer.concat([unread, chunk])
    for (;;) {
      const length = lengthOf(awaited, unread)
      if (length === undefined || unread.length < length) return
      const message = unread.subarray(0, length)
      unread = unread.subarray(length)
      if (awaited === 'request') {
        client.off('data', read)
        return requested(client, message, desk)
      }
      const next = awaited === 'methods' ? offered(client, message, desk) : given(client, message, desk)
      if (next === undefined) return
      awaited = next
    }
  }
  client.on('data', read)
}

/** Of the message that begins with `bytes`; undefined while that cannot be told. */
function lengthOf(awaited: Awaited, bytes: Buffer): number | undefined {
  if (awaited === 'methods') return bytes[1] === undefined ? undefined : 2 + bytes[1]
  if (awaited === 'credentials') {
    const word = bytes[2 + (bytes[1] ?? 0)]
    return bytes[1] === undefined || word === undefined ? undefined : 3 + bytes[1] + word
  }
  const [, , , type, nameBytes] = bytes
  if (type === undefined || nameBytes === undefined) return undefined
  return 6 + (type === 1 ? 4 : type === 4 ? 16 : 1 + nameBytes)
}

function offered(client: Socket, message: Buffer, { options, seen, behaviour }: ProxyDesk): Awaited | undefined {
  const now = behaviour()
  if (now === 'hangs-up') client.end()
  else if (now === 'garbage') client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  else if (now !== 'hangs') {
    const wanted = options.credentials === undefined && now !== 'denies' ? 0 : 2
    const isOffered = message.subarray(2).includes(wanted)
    client.write(Buffer.from([5, isOffered ? wanted : 255]))
    if (isOffered) return wanted === 0 ? 'request' : 'credentials'
    seen.denied += 1
  }
  return undefined
}

function given(client: Socket, message: Buffer, { options, seen, behaviour }: ProxyDesk): Awaited | undefined {
  const nameBytes = message[1] ?? 0
  const [username, password] = [message.subarray(2, 2 + nameBytes), message.subarray(3 + nameBytes)].map(String)
  const { credentials } = options
  const isRight = credentials?.username === username && credentials?.password === password && behaviour() !== 'denies'
  client.write(Buffer.from([1, isRight ? 0 : 1]))
  if (!isRight) seen.denied += 1
  return isRight ? 'request' : undefined
}

function requested(client: Socket, message: Buffer, desk: ProxyDesk): void {
  const [hostname, port] = [addressOf(message), message.readUInt16BE(message.length - 2)]
  desk.seen.targets.push(`${hostname}:${port}`)
  const now = desk.behaviour()
  if (now === 'hangs') return
  if (now === 'drips') return void client.write(Buffer.from([5, 0, 0, 3, 255, 1]))
  if (now === 'refuses') return void client.end(Buffer.from([5, 1]))
  if (now === 'unreachable') return void client.end(Buffer.from([5, 4, 0, 1, 0, 0, 0, 0, 0, 0]))
  if (now === 'lies')
    return void client.end(Buffer.concat([GRANTED, Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlie!')]))
  const upstream = desk.connect(client, hostname, port)
  upstream.once('connect', () => {
    client.write(GRANTED)
    client.on('data', (chunk: Buffer) => void upstream.write(chunk))
    join(client, upstream, now === 'cuts')
  })
  upstream.once('error', (error: NodeJS.ErrnoException) => {
    if (upstream.bytesWritten > 0) return
    client.end(Buffer.from([5, error.code === 'ECONNREFUSED' ? 5 : 4, 0, 1, 0, 0, 0, 0, 0, 0]))
  })
}

function addressOf(message: Buffer): string {
  const type = message[3]
  if (type === 1) return [...message.subarray(4, 8)].join('.')
  if (type === 3) return message.toString('latin1', 5, 5 + (message[4] ?? 0))
  return Array.from({ length: 8 }, (_, n) => message.readUInt16BE(4 + 2 * n).toString(16)).join(':')
}
