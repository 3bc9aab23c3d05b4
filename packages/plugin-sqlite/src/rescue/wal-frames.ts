// Which pages of a database are in its write-ahead log, and where (sqlite.org/fileformat2.html §4).
//
// A frame counts when its salts are those of the log, its checksum follows from the frame before it, and a commit comes at it or behind it. SQLite ends the log
// at the first one that does not, and loses what stands behind. Here each frame follows from what the one before it says of itself, so a damaged one costs
// its page, or that and the next; frames of an earlier round have other salts, and what a crash cut off has no commit behind it.
import { readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

/** What is in a log. */
export interface WalFrames {
  /** By page number: where its newest committed copy begins in the log. */
  readonly offsets: ReadonlyMap<number, number>
  /** Pages of the database after the last commit; 0 when there is none. */
  readonly pages: number
  /** Pages before the last commit that cannot be read: SQLite would not go by what stands behind them. */
  readonly damaged: number
}

/** Reads the log `file`, whose database has pages of `pageBytes`. */
export function walFrames(file: number, pageBytes: number): WalFrames {
  const header = Buffer.alloc(HEADER_BYTES)
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes)
  readSync(file, header, 0, HEADER_BYTES, 0)
  if (readSync(file, frame, 0, frame.length, HEADER_BYTES) < frame.length) return { offsets: new Map(), pages: 0, damaged: 0 }
  const magic = header.readUInt32BE(0)
  const sum = new Checksum(magic === MAGIC + 1)
  sum.add(header.subarray(0, 24))
  const isSound = (magic & ~1) >>> 0 === MAGIC && sum.is(header, 24)
  // The header does not count: the first frame is of the round that it begins.
  const salts = Buffer.from(isSound ? header.subarray(16, 24) : frame.subarray(8, 16))
  sum.set(header, 24)
  return committed(file, { frame, salts, sum })
}

interface Round {
  /** To read into. */
  readonly frame: Buffer
  readonly salts: Buffer
  readonly sum: Checksum
}

function committed(file: number, { frame, salts, sum }: Round): WalFrames {
  const offsets = new Map<number, number>()
  let open: [page: number, offset: number][] = []
  let unread = 0
  let pages = 0
  let damaged = 0
  for (let at = HEADER_BYTES; readSync(file, frame, 0, frame.length, at) === frame.length; at += frame.length) {
    const isSound = salts.equals(frame.subarray(8, 16)) && follows(sum, frame)
    sum.set(frame, 16)
    if (!isSound) {
      unread++
      continue
    }
    open.push([frame.readUInt32BE(0), at + FRAME_HEADER_BYTES])
    const size = frame.readUInt32BE(4)
    if (size === 0) continue
    for (const [page, offset] of open) offsets.set(page, offset)
    open = []
    pages = size
    damaged += unread
    unread = 0
  }
  return { offsets, pages, damaged }
}

function follows(sum: Checksum, frame: Buffer): boolean {
  sum.add(frame.subarray(0, 8))
  sum.add(frame.subarray(FRAME_HEADER_BYTES))
  return sum.is(frame, 16)
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

  /** Goes on from the checksum that stands at `at`. */
  set(bytes: Buffer, at: number): void {
    this.#first = bytes.readInt32BE(at)
    this.#second = bytes.readInt32BE(at + 4)
  }

  #word(bytes: Buffer, at: number): number {
    return this.#isBigEndian ? bytes.readInt32BE(at) : bytes.readInt32LE(at)
  }
}
