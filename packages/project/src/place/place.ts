// Where a command runs: its streams, its folder, its environment and its clock, injected so that a test can put others there.
import type { ReadStream, WriteStream } from 'node:tty'
import { systemClock, type Clock } from '@avocet/core/store'
import type { CrawlLog } from '../log/crawl-log.ts'
import type { ServiceNotice } from '../log/service-notice.ts'
import { calledFrom } from '../text/command-line.ts'
import { paintFor, type Paint } from '../text/paint.ts'

/** The process that runs a command, as far as it may touch it: `process`, or what a test puts in its place. */
export interface CommandProcess extends ProcessEvents {
  readonly stdin: Pick<ReadStream, 'isTTY'> & NodeJS.ReadableStream
  readonly stdout: WriteStream
  readonly stderr: WriteStream
  readonly env: NodeJS.ProcessEnv
  /** Default: that of the machine. */
  readonly clock?: Clock
  cwd(): string
}

/** Signals, and promises that nobody awaited. */
export type ProcessEvents = Pick<NodeJS.EventEmitter, 'on' | 'off'>

/** What a command may touch. Data goes to `stdout`, all else to `stderr`. */
export interface Place {
  readonly stdin: Pick<ReadStream, 'isTTY'> & NodeJS.ReadableStream
  readonly stdout: WriteStream
  readonly stderr: WriteStream
  /** Absolute; relative paths start here. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** What was typed, without node and script. */
  readonly words: readonly string[]
  readonly events: ProcessEvents
  /** Whether the process is there for this command alone, so that it may change settings of the whole of it. */
  readonly ownsProcess: boolean
  readonly clock: Clock
  /** Colours for `stderr`. */
  readonly paint: Paint
  /** What programs read of a crawl. Absent: its messages are for people alone. */
  readonly log?: CrawlLog
  /** Absent: no service manager listens, or the command is none that runs for long. */
  readonly service?: ServiceNotice
}

/** The place of a command that was typed as `words`, without node and script. */
export function placeIn(host: CommandProcess, words: readonly string[]): Place {
  const { stdin, stdout, stderr, env, clock = systemClock() } = host
  calledFrom(env)
  const ownsProcess = host === process
  return { stdin, stdout, stderr, folder: host.cwd(), env, words, events: host, ownsProcess, clock, paint: paintFor(stderr) }
}
