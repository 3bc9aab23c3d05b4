// Where a command runs: its streams, its folder and its clock, injected so that a test can put others there.
import type { ReadStream, WriteStream } from 'node:tty'
import type { Clock } from '@avocet/core/store'
import type { ServiceNotice } from './notify/service-notice.ts'
import type { Paint } from './text/paint.ts'

/** What a command may touch. Data goes to `stdout`, all else to `stderr`. */
export interface Place {
  readonly stdin: Pick<ReadStream, 'isTTY'> & NodeJS.ReadableStream
  readonly stdout: WriteStream
  readonly stderr: WriteStream
  /** Absolute; relative paths start here. */
  readonly folder: string
  readonly clock: Clock
  /** Colours for `stderr`. */
  readonly paint: Paint
  /** Absent: no service manager listens, or the command is none that runs for long. */
  readonly service?: ServiceNotice
}
