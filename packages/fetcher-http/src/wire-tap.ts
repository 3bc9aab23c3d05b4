// Sits between a socket and undici's parser, for four things that the parser cannot do.
//
// 1. Real servers send an unrequested `100 Continue` before a good answer; undici ends the connection at it. It is taken out.
// 2. Chunk extensions are unbounded for the parser and never reach us: bytes that are neither head nor body get an allowance.
// 3. A 304 may say how long the page would be (RFC 9110 §8.6), and some servers say it of a 204. undici ends the connection after either, for
//    a body might follow. Here it is known whether one does: if none came along, the field is taken out and the connection serves on.
// 4. Some servers fold header fields, end lines with LF alone, write a space before the colon, or repeat their Content-Length. Browsers read them; the
//    parser has no option for it. Heads of an origin whose answer it refused once are rewritten. Looking at every head would cost each page 1 to 2 µs.
//
// A body that has to wait makes undici put back what it has not parsed, and read it again: such bytes are counted once.
//
// undici reads sockets by `socket.read()` on `readable` (client-h1.js, 8.12.4); the tests of all points fail if that ever changes.
import { AvocetError } from '@avocet/core'
import type { Socket } from 'node:net'

/** Bytes of framing per byte of body that a server may spend: chunks of one byte need 6. */
const FRAMING_PER_BODY_BYTE = 8
/** Bytes beside the head and the framing of the body that a server may spend before we stop. */
const FRAMING_SLACK_BYTES = 64 * 2 ** 10

const CONTINUE = /^HTTP\/1\.[01] 100[ \r]/
const BODILESS = /^HTTP\/1\.[01] (?:204|304)[ \r]/
/** With the line break before it. Two of them, or one that is no number, stay: the parser is to see what is wrong. */
const LENGTH = /\r\ncontent-length:[ \t]*\d{1,15}[ \t]*(?=\r\n)/i
const LENGTHS = /^content-length:([^\r\n]*)\r\n/gim
/** Bytes in which `CONTINUE` and `BODILESS` are decided. */
const STATUS_LINE_START = 14
/** What the beginning of a `100 Continue` may be, as far as it has come. */
const CONTINUES = ['HTTP/1.1 100 ', 'HTTP/1.1 100\r', 'HTTP/1.0 100 ', 'HTTP/1.0 100\r']

/** Of all header fields of a response. */
export const MAX_HEADER_BYTES: number = 64 * 2 ** 10
/** Interim (1xx) responses before the real one. */
export const MAX_INTERIM = 16
/** What may come before a body. */
const MAX_HEAD_BYTES = MAX_HEADER_BYTES * (MAX_INTERIM + 1)
/** A head that came in pieces is held back until it is whole, if it is no longer than this. */
const MAX_HELD_BYTES = 64 * 2 ** 10
/** RFC 9112 §2.2: LF alone may end a line. */
const END_OF_HEAD = /\n\r?\n/
const NOTHING: Buffer = Buffer.alloc(0)

/** Counts and cleans what comes in on one connection, exchange after exchange. */
export class WireTap {
  readonly #socket: Socket
  #received = 0
  #allowedBytes = 0
  #interims = 0
  #beforeAnswer = false
  #isOdd = false
  #broken: Error | undefined
  /** The beginning of what may be a `100 Continue`, or of an odd head. */
  #held = NOTHING

  constructor(socket: Socket) {
    this.#socket = socket
    const read = socket.read.bind(socket) as (size?: number) => Buffer | null
    socket.read = (size?: number) => this.#pass(read(size), read)
    // Before the listener of undici, for which a connection that breaks may be the end of a body.
    socket.once('error', (error) => (this.#broken = error))
    const unshift = socket.unshift.bind(socket) as (chunk: Buffer) => void
    socket.unshift = (chunk: Buffer) => {
      this.#received -= chunk.length
      unshift(chunk)
    }
  }

  /** What the connection ended with, if not in order. */
  get broken(): Error | undefined {
    return this.#broken
  }

  /** Bytes of answer since the request was written. */
  get received(): number {
    return this.#received
  }

  /** A request is being written: what comes now belongs to its answer. `isOdd`: the parser cannot read this origin's heads as they are. */
  expectAnswer(isOdd: boolean): void {
    this.#isOdd = isOdd
    this.#received = 0
    this.#interims = 0
    this.#allowedBytes = MAX_HEAD_BYTES + FRAMING_SLACK_BYTES
    this.#beforeAnswer = true
    this.#held = NOTHING
  }

  /** So many bytes of body reached us. */
  bodyCame(bytes: number): void {
    this.#allowedBytes += bytes * FRAMING_PER_BODY_BYTE
  }

  #pass(chunk: Buffer | null, read: (size?: number) => Buffer | null): Buffer | null {
    if (chunk === null) return null
    this.#received += chunk.length
    if (this.#received > this.#allowedBytes + chunk.length) {
      const extra = `${this.#received} bytes came that are mostly neither header fields nor body`
      this.#socket.destroy(new AvocetError('AVO_PROTOCOL', extra))
      return null
    }
    if (!this.#beforeAnswer) return chunk
    const whole = this.#withoutContinue(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]))
    const rest = this.#isOdd ? this.#readable(whole) : whole
    if (rest.length === 0) return this.#pass(read(), read)
    this.#beforeAnswer = false
    return withoutLength(rest)
  }

  /** Empty when all of it was a `100 Continue`, or may become one: then it is held back until more comes. */
  #withoutContinue(chunk: Buffer): Buffer {
    this.#held = NOTHING
    let rest = chunk
    while (this.#interims < MAX_INTERIM && mayContinue(rest)) {
      const end = rest.indexOf('\r\n\r\n')
      if (end < 0) {
        if (rest.length > MAX_HELD_BYTES) return rest
        this.#held = rest
        return NOTHING
      }
      this.#interims += 1
      rest = rest.subarray(end + 4)
    }
    return rest
  }

  /** With the head as the parser wants it; empty while that is not whole. */
  #readable(chunk: Buffer): Buffer {
    const text = chunk.toString('latin1', 0, MAX_HELD_BYTES)
    const found = END_OF_HEAD.exec(text)
    if (found !== null) {
      const end = found.index + found[0].length
      return Buffer.concat([Buffer.from(plainHead(text.slice(0, end)), 'latin1'), chunk.subarray(end)])
    }
    if (chunk.length > MAX_HELD_BYTES || !text.startsWith('HTTP/')) return chunk
    this.#held = chunk
    return NOTHING
  }
}

/** Whether `head` is a `100 Continue`, or too short to tell. */
function mayContinue(head: Buffer): boolean {
  // The first digit of the status: decides for nearly all answers.
  if (head.length > 9 && head[9] !== 0x31) return false
  const start = head.toString('latin1', 0, STATUS_LINE_START)
  if (head.length >= STATUS_LINE_START) return CONTINUE.test(start)
  return head.length > 0 && CONTINUES.some((line) => line.startsWith(start.slice(0, line.length)))
}

/** The head of a 204 or 304 without its Content-Length, if it is all that came. */
function withoutLength(head: Buffer): Buffer {
  // The last digit of the status: decides for nearly all answers that there is nothing to do.
  if (head[11] !== 0x34 || !BODILESS.test(head.toString('latin1', 0, STATUS_LINE_START))) return head
  if (head.indexOf('\r\n\r\n') !== head.length - 4) return head
  return Buffer.from(head.toString('latin1').replace(LENGTH, ''), 'latin1')
}

/** A head with CRLF, no folds (RFC 9112 §5.2), no space before a colon (§5.1), and one Content-Length where all say the same (§6.3). */
function plainHead(head: string): string {
  const plain = head
    .replaceAll(/\r?\n/g, '\r\n')
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .replaceAll(/^([^\s:]+)[ \t]+:/gm, '$1:')
  const lengths = [...plain.matchAll(LENGTHS)].flatMap(([, value = '']) => value.split(',').map((length) => length.trim()))
  // Those that differ stay: the parser is to refuse them.
  if (new Set(lengths).size !== 1) return plain
  return plain.replaceAll(LENGTHS, '').replace(/\r\n$/, `Content-Length: ${lengths[0] ?? ''}\r\n\r\n`)
}
