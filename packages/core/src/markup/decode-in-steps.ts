// Decodes a body a piece at a time, so that 32 MB of a slow charset do not stop the event loop for a second.
import { isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import type * as Encodings from '@exodus/bytes/encoding.js'
import { decodeText } from './charset.ts'

/** Of the slowest charset, ISO-2022-JP, some 10 ms; of bytes that are no UTF-8 three. */
const PIECE_BYTES = 512 * 2 ** 10
/** Of what is UTF-8, and of windows-1252, at most 10 ms. */
const FAST_PIECE_BYTES = 4 * 2 ** 20

const require = createRequire(import.meta.url)

/** What `decodeText` gives, yielding after each piece of the work. */
export function* decodedInSteps(body: Uint8Array, charset: string): Generator<void, string, undefined> {
  const isFast = charset === 'UTF-8' ? isUtf8(body) : charset === 'windows-1252'
  const pieceBytes = isFast ? FAST_PIECE_BYTES : PIECE_BYTES
  if (body.byteLength <= pieceBytes || charset === 'replacement') return decodeText(body, charset)
  const decoder = streamingDecoder(charset)
  const pieces: string[] = []
  for (let at = 0; at < body.byteLength; at += pieceBytes) {
    pieces.push(decoder.decode(body.subarray(at, at + pieceBytes), { stream: true }))
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
