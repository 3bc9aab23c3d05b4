// Takes a body out of its content codings (RFC 9110 §8.4) without ever producing more than the caps allow.
//
// The cap of a body is the smaller of `maxDecodedBytes` and what its bytes on the wire may expand to; it holds for every coding of a stack, so
// 948 bytes that are 500 MB after two of them end at 1 MiB, and a bomb costs the cap and not its size. Small bodies are decoded at once on the
// main thread, which costs less than a trip to the thread pool. Others come piece by piece, each counted, and wait for room like a body that is
// read: sixty pages of 31 MiB in 234 KiB of gzip are otherwise two gigabytes at a time.
import type { FailureCode } from '@avocet/core/plugin'
import type { SizeLimits } from '@avocet/core/store'
import { gzipDataAt } from './gzip-data.ts'
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import type { BodyShare } from './body-share.ts'
import { Turnstile } from './turnstile.ts'

/** Up to this, decoding takes less than 15 ms even for a bomb, and about 0.1 ms for a page. */
const AT_ONCE_BYTES = 64 * 2 ** 10
/** Decoded bytes to wire bytes: what expands more is a bomb. */
const MAX_RATIO = 200
/** Decoded bytes below which the ratio is not looked at: small pages of one repeated line do exceed it. */
const RATIO_FREE_BYTES = 2 ** 20
/** Size of the pieces in which zlib hands out its output. */
const PIECE_BYTES = 64 * 2 ** 10
/**
 * Decodings on the thread pool at once. What waits for its turn is small, what is half done is not: two of 32 MiB are sure to find room in the default
 * budget, four would wait for each other. What is made of a page costs the main thread ten times as much.
 */
const MOST_AT_ONCE = 2
/** Node's code for what exceeds `maxOutputLength`. */
const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE'

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd'
interface Decoder {
  now(input: Uint8Array, options: { readonly maxOutputLength: number; readonly chunkSize: number }): Buffer
  pieces(options: { readonly chunkSize: number }): Transform
}

const DECODERS: Readonly<Record<Coding | 'deflate-raw', Decoder>> = {
  gzip: { now: zlib.gunzipSync, pieces: zlib.createGunzip },
  deflate: { now: zlib.inflateSync, pieces: zlib.createInflate },
  'deflate-raw': { now: zlib.inflateRawSync, pieces: zlib.createInflateRaw },
  br: { now: zlib.brotliDecompressSync, pieces: zlib.createBrotliDecompress },
  zstd: { now: zlib.zstdDecompressSync, pieces: zlib.createZstdDecompress },
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

/** The share that a body is counted in while it is decoded. */
export type Room = Pick<BodyShare, 'acquire' | 'release' | 'hasRoom' | 'hasRoomFor' | 'whenRoom'>

/** Stops a decoding. Harmless when it has ended. */
export type Stop = () => void

/**
 * Decodes `wire`, which `room` has acquired, and hands the result to `done`: in the same tick when it is small, later otherwise. Then `room` holds the
 * result in its place; after a failure or a stop, the caller releases what was there.
 *
 * An unknown coding (`utf-8`, `none`, `aws-chunked` are all seen) is never guessed at: the body stays as it came.
 * Codes: AVO_DECODED_TOO_LARGE, AVO_DECODE_RATIO, AVO_TRUNCATED, AVO_DECODE_FAILED.
 */
export function decodeContent(
  wire: Buffer,
  { codings, limits, room }: { readonly codings: readonly string[]; readonly limits: SizeLimits; readonly room: Room },
  done: (decoded: Decoded) => void,
): Stop {
  const known = codings.map((name) => NAMES.get(name)).filter((coding) => coding !== undefined)
  if (known.length === 0 || known.length < codings.length || wire.length === 0) {
    done({ body: wire })
    return NOTHING
  }
  const peeling: Peeling = { left: known, cap: capOf(wire.length, limits), limits, room, stop: NOTHING }
  peel(wire, peeling, done)
  return () => peeling.stop()
}

const NOTHING: Stop = () => {}

/** What is still to be taken off, and the most that any step may give. */
interface Peeling {
  left: readonly Coding[]
  readonly cap: number
  readonly limits: SizeLimits
  readonly room: Room
  stop: Stop
}

/** Takes off the coding that was applied last, then the one before it. */
function peel(input: Buffer, peeling: Peeling, done: (decoded: Decoded) => void): void {
  const { cap, room } = peeling
  const coding = peeling.left.at(-1)
  if (coding === undefined) return done({ body: input })
  peeling.left = peeling.left.slice(0, -1)
  const decoder = DECODERS[coding === 'deflate' && !hasZlibHeader(input) ? 'deflate-raw' : coding]
  const options = { maxOutputLength: cap, chunkSize: PIECE_BYTES }

  const peeled = (output: Buffer): void => {
    room.release(input.length)
    peel(output, peeling, done)
  }
  const failed = (error: DecodingError): void => {
    const rescued = error.code === TOO_LARGE ? undefined : firstWhole(input, coding, options)
    if (rescued === undefined) return done(troubleOf(error, coding, peeling))
    room.acquire(rescued.length)
    peeled(rescued)
  }
  if (input.length > AT_ONCE_BYTES || !room.hasRoomFor(cap)) {
    peeling.stop = decodePieces(input, decoder, { cap, room, peeled, failed })
    return
  }

  let output: Buffer
  try {
    output = decoder.now(input, options)
  } catch (error) {
    return failed(error as DecodingError)
  }
  room.acquire(output.length)
  peeled(output)
}

type DecodingError = Error & { code?: string }

interface PiecesOptions {
  readonly cap: number
  readonly room: Room
  readonly peeled: (output: Buffer) => void
  readonly failed: (error: DecodingError) => void
}

/** Those of the whole process, like the thread pool. */
const turns = new Turnstile(MOST_AT_ONCE)

/** Decodes on the thread pool when its turn comes, piece by piece as there is room. */
function decodePieces(input: Buffer, decoder: Decoder, options: PiecesOptions): Stop {
  let stop: Stop | undefined
  let isStopped = false
  turns.enter((leave) => {
    if (isStopped) return leave()
    stop = new PieceDecoding(decoder.pieces({ chunkSize: PIECE_BYTES }), options, leave).begin(input)
  })
  return () => {
    isStopped = true
    stop?.()
  }
}

/** One decoding that has its turn. Leaves exactly once. */
class PieceDecoding {
  readonly #engine: Transform
  readonly #options: PiecesOptions
  readonly #leave: () => void
  #pieces: Buffer[] = []
  #bytes = 0
  #isOver = false

  constructor(engine: Transform, options: PiecesOptions, leave: () => void) {
    this.#engine = engine
    this.#options = options
    this.#leave = leave
  }

  begin(input: Buffer): Stop {
    const engine = this.#engine
    engine.on('data', (piece: Buffer) => this.#came(piece))
    engine.on('error', (error) => this.#fail(error))
    engine.on('end', () => {
      if (this.#isOver) return
      const output = Buffer.concat(this.#pieces, this.#bytes)
      this.#end()
      this.#options.peeled(output)
    })
    engine.end(input)
    return () => this.#end()
  }

  #came(piece: Buffer): void {
    if (this.#isOver) return
    const { cap, room } = this.#options
    this.#pieces.push(piece)
    this.#bytes += piece.length
    room.acquire(piece.length)
    if (this.#bytes > cap) return this.#fail(Object.assign(new Error(`more than ${cap} bytes`), { code: TOO_LARGE }))
    if (room.hasRoom) return
    this.#engine.pause()
    room.whenRoom(() => this.#engine.resume())
  }

  #fail(error: DecodingError): void {
    if (this.#isOver) return
    const { room, failed } = this.#options
    this.#end()
    room.release(this.#bytes)
    failed(error)
  }

  /** Frees the pieces at once, all but the last: a full one is the whole of a buffer that the engine has done with, into others it may be writing. */
  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#engine.destroy()
    for (const { length, buffer } of this.#pieces) if (length === PIECE_BYTES && isOwn(buffer)) buffer.transfer(0)
    this.#pieces = []
    this.#leave()
  }
}

/** Whether it is a buffer of one piece, and not a part of something larger. */
function isOwn(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer instanceof ArrayBuffer && buffer.byteLength === PIECE_BYTES
}

function capOf(wireBytes: number, limits: SizeLimits): number {
  return Math.min(limits.maxDecodedBytes, Math.max(RATIO_FREE_BYTES, Math.floor(wireBytes * MAX_RATIO)))
}

/** RFC 1950 §2.2: method 8 in the low four bits, and the first two bytes are a multiple of 31. Many servers send raw deflate instead. */
function hasZlibHeader(input: Uint8Array): boolean {
  const first = input[0] ?? 0
  return (first & 15) === 8 && ((first << 8) | (input[1] ?? 0)) % 31 === 0
}

function troubleOf(error: DecodingError, coding: Coding, { cap, limits }: Pick<Peeling, 'cap' | 'limits'>): Decoded {
  if (error.code === TOO_LARGE) {
    if (cap === limits.maxDecodedBytes)
      return { code: 'AVO_DECODED_TOO_LARGE', message: `more than ${cap} bytes after ${coding}` }
    return { code: 'AVO_DECODE_RATIO', message: `more than ${MAX_RATIO} times its size after ${coding}` }
  }
  if (error.code === 'Z_BUF_ERROR')
    return { code: 'AVO_TRUNCATED', message: `the ${coding} data end in the middle`, cause: error }
  return { code: 'AVO_DECODE_FAILED', message: `the body is not ${coding}, as its header says (${error.message})`, cause: error }
}

/**
 * The content of the first gzip member of `input`, or of zlib data, or undefined when it is not whole within `options.maxOutputLength`. Real servers
 * send garbage behind a member, which node:zlib takes for a second one, and fails; others close before the checksum, when all of the content is there.
 * The data say where they end (RFC 1951 §3.2.3), and a checksum that is there is right.
 */
function firstWhole(input: Buffer, coding: Coding, options: zlib.ZlibOptions): Buffer | undefined {
  const start = coding === 'gzip' ? gzipDataAt(input, 0) : coding === 'deflate' && hasZlibHeader(input) ? 2 : undefined
  if (start === undefined) return undefined
  try {
    const { buffer, engine } = zlib.inflateRawSync(input.subarray(start), { ...options, info: true }) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    const end = start + engine.bytesWritten
    if (input.length < end + 4) return buffer
    // What begins as a second member is no garbage: it was cut.
    const isAlone = coding === 'gzip' && gzipDataAt(input, end + 8) === undefined
    return isAlone && zlib.crc32(buffer) === input.readUInt32LE(end) ? buffer : undefined
  } catch {
    // Not deflate data either: the caller reports the first error, which says more.
    return undefined
  }
}
