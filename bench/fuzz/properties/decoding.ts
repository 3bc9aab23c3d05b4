// Content codings: bodies that were coded by node:zlib come back, broken ones end in one answer, and the room that was taken is given back.
import { DEFAULTS } from '@avocet/core/store'
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import zlib from 'node:zlib'
import { codingsOf, decodeContent, type Decoded, type Room } from '../../../packages/fetcher-http/src/content-decoding.ts'
import { corpusOf } from '../corpus.ts'
import { told } from '../mutated.ts'
import { property, type Property } from '../property.ts'

const CODERS = {
  gzip: (body: Uint8Array) => zlib.gzipSync(body),
  'x-gzip': (body: Uint8Array) => zlib.gzipSync(body, { level: 1 }),
  deflate: (body: Uint8Array) => zlib.deflateSync(body),
  br: (body: Uint8Array) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (body: Uint8Array) => zlib.zstdCompressSync(body),
} as const
type Coding = keyof typeof CODERS
const coding = fc.constantFrom<Coding>('gzip', 'x-gzip', 'deflate', 'br', 'zstd')
const limits = { ...DEFAULTS.sizeLimits, maxDecodedBytes: 2 ** 21 }

const page = fc.constantFrom(...corpusOf('pages'))
const plain = fc.oneof(fc.uint8Array({ maxLength: 300 }), page)
const large = fc.tuple(plain, fc.integer({ min: 60_000, max: 150_000 })).map(([piece, length]) => {
  // Does not compress, so that it is large on the wire as well.
  const body = Buffer.alloc(length, piece.length === 0 ? 1 : piece)
  let state = length
  for (let at = 0; at < length; at++) {
    state = Math.imul(state ^ at, 0x9e3779b1) ^ (state >>> 13)
    body[at] = (body[at] ?? 0) ^ (state >>> 24)
  }
  return body
})

/** A room that counts, and always has room. */
class CountedRoom implements Room {
  held = 0
  readonly hasRoom = true
  acquire(bytes: number): void {
    this.held += bytes
  }
  release(bytes: number = this.held): void {
    this.held -= bytes
  }
  hasRoomFor(): boolean {
    return true
  }
  whenRoom(goOn: () => void): void {
    goOn()
  }
}

/** The answer, how often it came, and what is held afterwards. */
async function decoded(wire: Buffer, codings: readonly string[]): Promise<{ readonly answer: Decoded; readonly held: number }> {
  const room = new CountedRoom()
  room.acquire(wire.length)
  let answers = 0
  const answer = await new Promise<Decoded>((done) => {
    decodeContent(wire, { codings, limits, room }, (each) => {
      answers++
      done(each)
    })
  })
  await new Promise((next) => setImmediate(next))
  assert.equal(answers, 1, 'answers once')
  return { answer, held: room.held }
}

const back = property(
  { name: 'coding', what: 'a body comes out of its codings as it went in', runs: 800 },
  fc.tuple(fc.oneof({ weight: 30, arbitrary: plain }, large), fc.array(coding, { minLength: 1, maxLength: 3 })),
  async ([body, codings]) => {
    const wire = codings.reduce<Buffer>((coded, each) => CODERS[each](coded), Buffer.from(body))
    const { answer, held } = await decoded(wire, codingsOf(codings.join(', ')))
    assert.ok(answer.code === undefined, answer.code)
    assert.ok(Buffer.from(answer.body).equals(body))
    assert.equal(held, body.length, 'holds the result')
  },
)

/** Damages of coded data: at a share of their length. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat({ max: 999 }), with: fc.nat({ max: 7 }) }),
  fc.record({ kind: fc.constant('truncate' as const), at: fc.nat({ max: 999 }), with: fc.constant(0) }),
  fc.record({ kind: fc.constant('append' as const), at: fc.constant(0), with: fc.nat({ max: 255 }) }),
  fc.record({ kind: fc.constant('write' as const), at: fc.nat({ max: 30 }), with: fc.nat({ max: 255 }) }),
)
const broken = fc
  .tuple(fc.oneof({ weight: 30, arbitrary: plain }, large), coding, fc.array(damage, { minLength: 1, maxLength: 3 }))
  .map(([body, each, damages]) => ({ coding: each, wire: told(damages.reduce(damaged, Buffer.from(CODERS[each](body)))) }))

function damaged(
  wire: Buffer,
  {
    kind,
    at,
    with: value,
  }: { readonly kind: 'flip' | 'truncate' | 'append' | 'write'; readonly at: number; readonly with: number },
): Buffer {
  const place = Math.floor((at * wire.length) / 1_000)
  if (kind === 'truncate') return wire.subarray(0, place)
  if (kind === 'append') return Buffer.concat([wire, Buffer.alloc(1 + (value % 20), value)])
  const copy = Buffer.from(wire)
  copy[place] = kind === 'flip' ? (copy[place] ?? 0) ^ (1 << value) : value
  return copy
}

const UNCODERS: Readonly<Record<Coding, (wire: Uint8Array) => Buffer>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
}

const damages = property(
  {
    name: 'coding-broken',
    what: 'a broken body is what zlib makes of it, or fails with a code; its room is given back',
    runs: 1_200,
  },
  broken,
  async ({ coding: each, wire }) => {
    const { answer, held } = await decoded(wire, [each])
    if (answer.code !== undefined) {
      assert.match(answer.code, /^AVO_(?:TRUNCATED|DECODE_FAILED|DECODE_RATIO|DECODED_TOO_LARGE)$/)
      assert.equal(held, wire.length, 'holds what came')
    } else assert.equal(held, answer.body.length, 'holds the result')
    const platform = wire.length === 0 ? wire : attempt(() => UNCODERS[each](wire))
    if (platform === undefined) {
      // What is lenient: garbage behind gzip, and deflate data without their header.
      assert.ok(answer.code !== undefined || each.endsWith('gzip') || each === 'deflate')
      return
    }
    if (answer.code === undefined) assert.ok(Buffer.from(answer.body).equals(platform))
    else assert.ok(platform.length > 2 ** 20, `${answer.code}, where zlib reads ${String(platform.length)} bytes`)
  },
)

function attempt(work: () => Buffer): Buffer | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** All of this file. */
export const CODING_PROPERTIES: readonly Property[] = [back, damages]
