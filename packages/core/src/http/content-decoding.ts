// Takes a body out of its content codings (RFC 9110 §8.4) without ever producing more than the caps allow.
//
// zlib stops at `maxOutputLength` while it decodes, so a bomb costs the cap and not its size. The cap of a body is the smaller of
// `maxDecodedBytes` and what its bytes on the wire may expand to; it holds for every coding of a stack, so 948 bytes that are 500 MB
// after two of them end at 1 MiB. Small bodies are decoded at once on the main thread, which costs less than a trip to the thread pool.
import zlib from 'node:zlib'
import type { FailureCode } from '../errors.ts'
import type { SizeLimits } from '../fetcher.ts'
import { ungzipFirstMember } from './gzip-member.ts'

/** Up to this, decoding takes less than 15 ms even for a bomb, and about 0.1 ms for a page. */
const AT_ONCE_BYTES = 64 * 2 ** 10
/** Decoded bytes below which the ratio is not looked at: small pages of one repeated line do exceed it. */
const RATIO_FREE_BYTES = 2 ** 20
/** Size of the pieces in which zlib hands out its output. */
const PIECE_BYTES = 64 * 2 ** 10

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd'
type Callback = (error: Error | null, output: Buffer) => void
interface DecodeOptions {
  readonly maxOutputLength: number
  readonly chunkSize: number
}
interface Decoder {
  now(input: Uint8Array, options: DecodeOptions): Buffer
  later(input: Uint8Array, options: DecodeOptions, callback: Callback): void
}

const DECODERS: Readonly<Record<Coding | 'deflate-raw', Decoder>> = {
  gzip: { now: zlib.gunzipSync, later: zlib.gunzip },
  deflate: { now: zlib.inflateSync, later: zlib.inflate },
  'deflate-raw': { now: zlib.inflateRawSync, later: zlib.inflateRaw },
  br: { now: zlib.brotliDecompressSync, later: zlib.brotliDecompress },
  zstd: { now: zlib.zstdDecompressSync, later: zlib.zstdDecompress },
}

const NAMES: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
])

/** The Accept-Encoding field that matches what can be decoded here. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/** A body without its codings, or why there is none. */
export type Decoded =
  | { readonly body: Uint8Array; readonly code?: undefined }
  | { readonly code: FailureCode; readonly message: string; readonly cause?: unknown }

/** The codings of a Content-Encoding field in the order they were applied, `identity` left out. Unknown words are kept. */
export function codingsOf(field: string | readonly string[] | undefined): readonly string[] {
  if (field === undefined) return []
  const words = (typeof field === 'string' ? field : field.join(',')).toLowerCase().split(',')
  return words.map((word) => word.trim()).filter((word) => word !== '' && word !== 'identity')
}

/**
 * Decodes `wire` and hands the result to `done`: in the same tick when it is small, later otherwise.
 *
 * A coding that nobody knows (`utf-8`, `none`, `aws-chunked` are all seen) is never guessed at: the body stays as it came.
 * Codes: AVO_DECODED_TOO_LARGE, AVO_DECODE_RATIO, AVO_TRUNCATED, AVO_DECODE_FAILED.
 */
export function decodeBody(
  wire: Buffer,
  { codings, limits }: { readonly codings: readonly string[]; readonly limits: SizeLimits },
  done: (decoded: Decoded) => void,
): void {
  const known = codings.map((name) => NAMES.get(name)).filter((coding) => coding !== undefined)
  if (known.length < codings.length || wire.length === 0) return done({ body: wire })
  peel(wire, { left: known, cap: capOf(wire.length, limits), limits }, done)
}

/** What is still to be taken off, and the most that any step may give. */
interface Peeling {
  readonly left: readonly Coding[]
  readonly cap: number
  readonly limits: SizeLimits
}

/** Takes off the coding that was applied last, then the one before it. */
function peel(input: Buffer, peeling: Peeling, done: (decoded: Decoded) => void): void {
  const coding = peeling.left.at(-1)
  if (coding === undefined) return done({ body: input })
  const next = { ...peeling, left: peeling.left.slice(0, -1) }
  const decoder = DECODERS[coding === 'deflate' && !hasZlibHeader(input) ? 'deflate-raw' : coding]
  const options = { maxOutputLength: peeling.cap, chunkSize: PIECE_BYTES }

  const settle: Callback = (error, output) => {
    if (error === null) return peel(output, next, done)
    const rescued = coding === 'gzip' ? ungzipFirstMember(input, options) : undefined
    if (rescued !== undefined) return peel(rescued, next, done)
    done(troubleOf(error, coding, peeling))
  }
  if (input.length > AT_ONCE_BYTES) return decoder.later(input, options, settle)

  let output: Buffer
  try {
    output = decoder.now(input, options)
  } catch (error) {
    return settle(error as Error, input)
  }
  settle(null, output)
}

function capOf(wireBytes: number, limits: SizeLimits): number {
  return Math.min(limits.maxDecodedBytes, Math.max(RATIO_FREE_BYTES, Math.floor(wireBytes * limits.maxDecodeRatio)))
}

/** RFC 1950 §2.2: method 8 in the low four bits, and the first two bytes are a multiple of 31. Many servers send raw deflate instead. */
function hasZlibHeader(input: Uint8Array): boolean {
  const first = input[0] ?? 0
  return (first & 15) === 8 && ((first << 8) | (input[1] ?? 0)) % 31 === 0
}

function troubleOf(error: Error & { code?: string }, coding: Coding, { cap, limits }: Peeling): Decoded {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') {
    if (cap === limits.maxDecodedBytes)
      return { code: 'AVO_DECODED_TOO_LARGE', message: `more than ${cap} bytes after ${coding}` }
    return { code: 'AVO_DECODE_RATIO', message: `more than ${limits.maxDecodeRatio} times its size after ${coding}` }
  }
  if (error.code === 'Z_BUF_ERROR')
    return { code: 'AVO_TRUNCATED', message: `the ${coding} data end in the middle`, cause: error }
  return { code: 'AVO_DECODE_FAILED', message: `the body is not ${coding}, as its header says (${error.message})`, cause: error }
}
