// Which pages of a database stand in its write-ahead log, and where (sqlite.org/fileformat2.html §4): the frames that SQLite would go by, and no other.
//
// A frame counts when its salts are those of the log's header, its checksum follows from the frame before it, and a commit comes at it or behind it.
// The first one that does not ends the log: what stands behind it is of an earlier round, or was cut off by the crash.
import { readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

/** What a log holds. */
export interface WalFrames {
  /** By page number: where its newest committed copy begins in the log. */
  readonly offsets: ReadonlyMap<number, number>
  /** Pages of the database after the last commit; 0 when there is none. */
  readonly pages: number
}

/** Reads the log `file`, whose database has pages of `pageBytes`. */
export function walFrames(file: number, pageBytes: number): WalFrames {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return NONE
  const magic = header.readUInt32BE(0)
  if ((magic & ~1) >>> 0 !== MAGIC || header.readUInt32BE(8) !== pageBytes) return NONE
  const sum = new Checksum((magic & 1) === 1)
  sum.add(header.subarray(0, 24))
  if (!sum.is(header, 24)) return NONE
  return committed(file, { pageBytes, salts: header.subarray(16, 24), sum })
}

const NONE: WalFrames = { offsets: new Map(), pages: 0 }

interface Round {
  readonly pageBytes: number
  readonly salts: Buffer
  readonly sum: Checksum
}

function committed(file: number, { pageBytes, salts, sum }: Round): WalFrames {
  const offsets = new Map<number, number>()
  let open: [page: number, offset: number][] = []
  let pages = 0
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes)
  for (let at = HEADER_BYTES; readSync(file, frame, 0, frame.length, at) === frame.length; at += frame.length) {
    if (!salts.equals(frame.subarray(8, 16))) break
    sum.add(frame.subarray(0, 8))
    sum.add(frame.subarray(FRAME_HEADER_BYTES))
    if (!sum.is(frame, 16)) break
    open.push([frame.readUInt32BE(0), at + FRAME_HEADER_BYTES])
    const size = frame.readUInt32BE(4)
    if (size === 0) continue
    for (const [page, offset] of open) offsets.set(page, offset)
    open = []
    pages = size
  }
  return { offsets, pages }
}

/** The running checksum of a log, over words of 32 bits in the byte order that its header names. */
class Checksum {
  readonly #isBigEndian: boolean
  #first = 0
  #second = 0

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 8) {
      this.#first = (this.#first + this.#word(bytes, at) + this.#second) | 0
      this.#second = (this.#second + this.#word(bytes, at + 4) + this.#first) | 0
    }
  }

  /** Whether it stands at `at`, where it is big-endian always. */
  is(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#first && bytes.readInt32BE(at + 4) === this.#second
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isBigEndian ? bytes.readInt32BE(at) : bytes.readInt32LE(at)
  }
}
