// A WebSocket that says one thing (RFC 6455 §4.2.2, §5.2).
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Listener for `upgrade` of a server: accepts, and sends `text`, of at most 125 bytes. */
export function socketGreeting(text: string): (request: IncomingMessage, socket: Duplex) => void {
  return ({ headers }, socket) => {
    const key = headers['sec-websocket-key'] ?? ''
    const accept = createHash('sha1')
      .update(key + GUID)
      .digest('base64')
    const fields = [
      'HTTP/1.1 101 Switching Protocols',
      'upgrade: websocket',
      'connection: Upgrade',
      `sec-websocket-accept: ${accept}`,
    ]
    socket.on('error', () => socket.destroy())
    socket.write(`${fields.join('\r\n')}\r\n\r\n`)
    socket.write(Buffer.concat([Buffer.from([0x81, Buffer.byteLength(text)]), Buffer.from(text)]))
  }
}
