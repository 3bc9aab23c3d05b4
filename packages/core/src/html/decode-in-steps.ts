// Decodes a body a piece at a time, so that 32 MB of a slow charset do not stop the event loop for a second.
import { isAscii } from 'node:buffer'
import { createRequire } from 'node:module'
import type * as Encodings from '@exodus/bytes/encoding.js'
import { decodeBody } from './charset.ts'

/** Of the slowest charset, ISO-2022-JP, some 10 ms. */
const PIECE_BYTES = 512 * 2 ** 10

const require = createRequire(import.meta.url)

/** What `decodeBody` gives, yielding after each piece of the work. */
export function* decodedInSteps(body: Uint8Array, charset: string): Generator<void, string, undefined> {
  const atOnce = body.byteLength <= PIECE_BYTES || charset === 'replacement'
  if (atOnce || ((charset === 'UTF-8' || charset === 'windows-1252') && isAscii(body))) return decodeBody(body, charset)
  const decoder = streamingDecoder(charset)
  const pieces: string[] = []
  for (let at = 0; at < body.byteLength; at += PIECE_BYTES) {
    pieces.push(decoder.decode(body.subarray(at, at + PIECE_BYTES), { stream: true }))
    yield
  }
  pieces.push(decoder.decode())
  return pieces.join('')
}

function streamingDecoder(charset: string): InstanceType<typeof TextDecoder> {
  if (charset === 'UTF-8') return new TextDecoder()
  const { TextDecoder: AnyTextDecoder } = require('@exodus/bytes/encoding.js') as typeof Encodings
  return new AnyTextDecoder(charset)
}
