// HTTP/2 as a hostile host speaks it: frames byte by byte (RFC 9113 §4), so that a row can send what no library would. Reads no header fields: the first stream
// of a host is that of its robots.txt.
import type { Duplex } from 'node:stream'
import type { Line } from './line.ts'

const PREFACE_BYTES = 24
const HEAD_BYTES = 9

/** Types of frames (RFC 9113 §6). */
export const DATA = 0
export const HEADERS = 1
export const RESET = 3
export const SETTINGS = 4
export const PUSH_PROMISE = 5
export const PING = 6
export const GOAWAY = 7
export const WINDOW_UPDATE = 8
export const CONTINUATION = 9
/** Flags. */
export const END_STREAM = 1
const ACK = 1
export const END_HEADERS = 4

/** What a host does on an HTTP/2 connection. */
export interface Http2Play {
  /** Whether HTTP/1.1 is spoken as well. */
  readonly speaks: 'both' | 'only'
  /** At the beginning. Default: sends empty settings. */
  readonly accept?: (line: Line) => void
  /** Whether settings of the client are acknowledged. Default true. */
  readonly acknowledges?: boolean
  /** For each request, on stream `id`, counted from 1 on its connection. Where it is absent requests are read, and never answered. */
  readonly stream?: (asked: { readonly id: number; readonly nth: number }, line: Line) => void
}

/** A frame; text is a byte a character. */
export function frame(type: number, flags: number, id: number, payload: string | Uint8Array = ''): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(bytes.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, bytes])
}

/** A number of four bytes, as text. */
export function uint32(number: number): string {
  return String.fromCharCode((number >>> 24) & 255, (number >>> 16) & 255, (number >>> 8) & 255, number & 255)
}

/** One setting of a SETTINGS frame. */
export function setting(name: number, value: number): string {
  return `\0${String.fromCharCode(name)}${uint32(value)}`
}

/** A field that is not indexed (RFC 7541 §6.2.2). */
export function field(name: string, value: string): string {
  return `\0${lengthOf(name)}${name}${lengthOf(value)}${value}`
}

function lengthOf({ length }: string): string {
  if (length < 127) return String.fromCharCode(length)
  let [rest, text] = [length - 127, '\x7f']
  for (; rest >= 128; rest >>= 7) text += String.fromCharCode((rest & 127) | 128)
  return text + String.fromCharCode(rest)
}

/** Plays on `stream`; `asked` is called for each request. */
export function playHttp2(
  play: Http2Play,
  { stream, line }: { readonly stream: Duplex; readonly line: Line },
  asked: () => void,
): void {
  let unread = Buffer.alloc(0)
  let began = false
  let nth = 0
  if (play.accept === undefined) line.write(frame(SETTINGS, 0, 0))
  else play.accept(line)
  stream.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    if (!began && unread.length >= PREFACE_BYTES) {
      began = true
      unread = unread.subarray(PREFACE_BYTES)
    }
    while (began && unread.length >= HEAD_BYTES && unread.length >= HEAD_BYTES + unread.readUIntBE(0, 3)) {
      const [type, flags, id] = [unread[3], unread[4] ?? 0, unread.readUInt32BE(5)]
      unread = unread.subarray(HEAD_BYTES + unread.readUIntBE(0, 3))
      if (type === SETTINGS && (flags & ACK) === 0 && play.acknowledges !== false) line.write(frame(SETTINGS, ACK, 0))
      if (type !== HEADERS) continue
      asked()
      nth += 1
      play.stream?.({ id, nth }, line)
    }
  })
}
