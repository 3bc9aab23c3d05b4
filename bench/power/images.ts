// What the disk may hold after a power cut, from a recorded crawl: the log cut at a frame and within one, its last sectors torn, a checkpoint half done, the
// log begun anew over the one before. With NORMAL frames in the middle may be missing, too: none was forced to disk since the last mark or checkpoint.
import { seeded } from '@avocet/simulator'
import type { Moment, Recording, Round } from './recording.ts'
import { frameAt, FRAME_BYTES, LOG_HEADER_BYTES, PAGE_BYTES } from './wal.ts'

/** What is on the disk. */
export interface Image {
  readonly name: string
  readonly database: Buffer
  readonly log: Buffer
  /** The index of the log; absent where it is missing. */
  readonly index?: Buffer
  readonly output: Buffer
  /** The last promise that was forced to disk. */
  readonly promised: Moment | undefined
}

/** What kinds there are, and how many of a hundred are of each. */
const SHARES = { frame: 46, within: 20, torn: 14, hole: 6, checkpoint: 9, restart: 5 } as const

const SECTOR_BYTES = 512

/** `count` of them, spread over the recording; the same for the same seed. */
export function imagesOf(recording: Recording, count: number, seed: string): Image[] {
  const chance = chanceOf(seed, recording.synchronous)
  const images = Object.entries(SHARES).flatMap(([kind, share]) => {
    const many = Math.max(1, Math.round((count * share) / 100))
    return Array.from({ length: many }, (_, n) => imageOf(recording, { kind: kind as keyof typeof SHARES, n, many, chance }))
  })
  return images.slice(0, count)
}

/** In [0, 1). */
type Chance = () => number

function chanceOf(...words: readonly string[]): Chance {
  const next = seeded('power', ...words)
  let n = 0
  return () => next(n++)
}

interface Wish {
  readonly kind: keyof typeof SHARES
  readonly n: number
  readonly many: number
  readonly chance: Chance
}

function imageOf(recording: Recording, { kind, n, many, chance }: Wish): Image {
  const spot = spotOf(recording, kind, (n + chance()) / many)
  const { round, roundNumber, frame } = spot
  const name = `${recording.synchronous} ${kind} round ${String(roundNumber)} frame ${String(frame)}`
  const rest = (kept: number, isAhead = chance() < 0.5): Pick<Image, 'promised' | 'output' | 'index'> => ({
    promised: promisedBy(recording, roundNumber, kept),
    output: outputOf(recording, { roundNumber, kept, isAhead, chance }),
    ...indexOf(chance),
  })
  const { database } = round
  switch (kind) {
    case 'frame':
      return { name, database, log: cut(round, frameAt(frame), chance), ...rest(frame) }
    case 'within':
      return { name, database, log: cut(round, frameAt(frame) + Math.floor(chance() * FRAME_BYTES), chance), ...rest(frame) }
    case 'torn':
      return { name, database, log: torn(cut(round, frameAt(frame + 1), chance), frameAt(frame), chance), ...rest(frame) }
    case 'hole': {
      // Frames behind it are whole: they went to disk before it.
      const first = unsynced(recording, spot, chance)
      return { name, database, log: torn(Buffer.from(round.log), frameAt(first), chance), ...rest(first, false) }
    }
    case 'checkpoint':
      return { name, database: halfCopied(round, chance), log: round.log, ...rest(round.frames, false) }
    case 'restart':
      return { name, database, log: begunAnew(round, chance), ...rest(0, false) }
    default:
      throw new RangeError(`expected a kind of image, got ${String(kind satisfies never)}`)
  }
}

interface Spot {
  readonly round: Round
  readonly roundNumber: number
  readonly frame: number
}

/** The place at `part` of the whole recording, of those where this can happen. */
function spotOf({ rounds }: Recording, kind: Wish['kind'], part: number): Spot {
  const possible = rounds.flatMap((round, roundNumber) => {
    if (kind === 'checkpoint' && round.databaseAfter === undefined) return []
    if (kind === 'restart' && round.logBefore.length === 0) return []
    return [{ round, roundNumber, frames: kind === 'frame' ? round.frames + 1 : round.frames }]
  })
  let left = Math.floor(part * possible.reduce((sum, { frames }) => sum + frames, 0))
  for (const { round, roundNumber, frames } of possible) {
    if (left < frames) return { round, roundNumber, frame: left }
    left -= frames
  }
  throw new RangeError(`expected a place for ${kind}, got none`)
}

/** The log up to `bytes`; what stands behind is nothing, zeros, or of the round before. */
function cut({ log, logBefore }: Round, bytes: number, chance: Chance): Buffer {
  const kept = log.subarray(0, bytes)
  const left = Math.floor(chance() * 3)
  if (left === 0) return Buffer.from(kept)
  if (left === 1) return Buffer.concat([kept, Buffer.alloc(8 * PAGE_BYTES)])
  return Buffer.concat([kept, logBefore.subarray(bytes)])
}

/** Some bytes of its header are of the round before: then nothing of this one counts. */
function begunAnew({ log, logBefore, frames }: Round, chance: Chance): Buffer {
  const anew = Buffer.from(log.subarray(0, frameAt(Math.min(1, frames))))
  const old = Math.floor(chance() * LOG_HEADER_BYTES)
  logBefore.copy(anew, old, old, LOG_HEADER_BYTES)
  return anew
}

/** A sector of the frame at `at`, or its second half, is zero, garbage, or of nobody. */
function torn(log: Buffer, at: number, chance: Chance): Buffer {
  const length = chance() < 0.5 ? SECTOR_BYTES : FRAME_BYTES / 2
  const from = at + Math.floor(chance() * (FRAME_BYTES - length))
  const isZero = chance() < 0.5
  for (let byte = from; byte < Math.min(from + length, log.length); byte++) log[byte] = isZero ? 0 : Math.floor(chance() * 256)
  // So that it is surely not what it was.
  if (at + 20 < log.length) log.writeUInt32BE((log.readUInt32BE(at + 20) ^ 0x5a5a) >>> 0, at + 20)
  return log
}

/** Some pages were copied, some not, one in part. */
function halfCopied({ database, databaseAfter = database }: Round, chance: Chance): Buffer {
  const mixed = Buffer.alloc(chance() < 0.5 ? databaseAfter.length : Math.max(database.length, PAGE_BYTES))
  database.copy(mixed)
  for (let at = 0; at < mixed.length; at += SECTOR_BYTES) {
    if (chance() < 0.5) databaseAfter.copy(mixed, at, at, Math.min(at + SECTOR_BYTES, databaseAfter.length))
  }
  return mixed
}

/** The index of a log is of the memory, not of the disk: any of it may be there. */
function indexOf(chance: Chance): { index?: Buffer } {
  const kind = Math.floor(chance() * 3)
  if (kind === 0) return {}
  const index = Buffer.alloc(32_768)
  if (kind === 1) for (let at = 0; at < index.length; at++) index[at] = Math.floor(chance() * 256)
  return { index }
}

function promisedBy({ moments }: Recording, round: number, frames: number): Moment | undefined {
  return moments.findLast(
    (moment) => moment.isSynced && (moment.round < round || (moment.round === round && moment.frames <= frames)),
  )
}

/** One of the frames up to `frame` that were not forced to disk by then. */
function unsynced(recording: Recording, { roundNumber, frame }: Spot, chance: Chance): number {
  const promised = promisedBy(recording, roundNumber, frame)
  const first = promised?.round === roundNumber ? promised.frames : 0
  return first + Math.floor(chance() * (frame + 1 - first))
}

/**
 * What the output held then: what was marked by then or about to be. With NORMAL also what was about to be when frames were written that are lost; its last
 * bytes may not have reached the disk.
 */
function outputOf(
  { outputs, synchronous }: Recording,
  {
    roundNumber,
    kept,
    isAhead,
    chance,
  }: { readonly roundNumber: number; readonly kept: number; readonly isAhead: boolean; readonly chance: Chance },
): Buffer {
  const isBy = ({ round, frames }: { readonly round: number; readonly frames: number }): boolean =>
    round < roundNumber || (round === roundNumber && frames <= kept)
  const by = outputs.findLast(isBy)?.bytes ?? Buffer.alloc(0)
  const next = outputs.find((output) => !isBy(output) && output.round === roundNumber)?.bytes
  if (!isAhead || synchronous === 'full' || next === undefined || next.length <= by.length) return by
  const ahead = Buffer.from(next)
  if (chance() < 0.5) ahead.fill(0, by.length + Math.floor((ahead.length - by.length) / 2))
  return ahead
}
