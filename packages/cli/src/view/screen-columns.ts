// How wide the terminal behind a stream is.
import type { WriteStream } from 'node:tty'

/** Of a terminal that does not say, as some do over serial lines and in containers. */
const DEFAULT_COLUMNS = 80

/** Columns of the terminal; Infinity where there is none: a line in a log or a pipe is folded by nobody, so that grep finds it. */
export function screenColumns({ isTTY, columns = 0 }: Pick<Partial<WriteStream>, 'isTTY' | 'columns'>): number {
  if (isTTY !== true) return Infinity
  return columns > 0 ? columns : DEFAULT_COLUMNS
}
