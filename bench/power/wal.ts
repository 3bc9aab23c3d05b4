// The frames of a write-ahead log, as far as whoever cuts it needs to know them (sqlite.org/fileformat2.html §4).

export const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
export const PAGE_BYTES = 16_384
export const FRAME_BYTES: number = FRAME_HEADER_BYTES + PAGE_BYTES

/** Frames of the log's own round: what stands behind them has other salts. */
export function framesIn(log: Buffer): number {
  const salts = log.subarray(16, 24)
  let frames = 0
  for (let at = LOG_HEADER_BYTES; at + FRAME_BYTES <= log.length; at += FRAME_BYTES) {
    if (!salts.equals(log.subarray(at + 8, at + 16))) break
    frames++
  }
  return frames
}

/** Where frame `n`, counted from 0, begins. */
export function frameAt(n: number): number {
  return LOG_HEADER_BYTES + n * FRAME_BYTES
}
