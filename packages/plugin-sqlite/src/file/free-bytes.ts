// How much room is left on the disk that a store lies on.
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** Bytes that this user may still write there; Infinity where the system does not say. */
export function freeBytesAt(path: string): number {
  const { bavail, bsize, blocks } = statfsSync(dirname(path))
  return blocks === 0 ? Infinity : bavail * bsize
}
