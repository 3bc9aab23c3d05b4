// Where a command runs: its streams, its folder and its clock, injected so that a test can put others there.
import type { ReadStream, WriteStream } from 'node:tty'
import type { Clock } from '@avocet/core/store'
import type { CrawlLog } from './log/crawl-log.ts'
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
  /** What programs read of a crawl. Absent: its messages are for people alone. */
  readonly log?: CrawlLog
  /** Absent: no service manager listens, or the command is none that runs for long. */
  readonly service?: ServiceNotice
}
