// Where a command runs: its streams, its folder, its environment and its clock, injected so that a test can put others there.
import type { ReadStream, WriteStream } from 'node:tty'
import { isNativeError } from 'node:util/types'
import { messageOf, systemClock, type Clock } from '@avocet/core/store'
import type { CrawlLog } from '../log/crawl-log.ts'
import type { ServiceNotice } from '../log/service-notice.ts'
import { calledFrom } from '../text/command-line.ts'
import { paintFor, type Paint } from '../text/terminal.ts'
import { printable } from '../text/printable.ts'

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

// Promises in code of the user's own that nobody awaits.

/** The innermost line of a stack that is neither of Node nor of a package: ` at start (file:///home/me/spider.ts:12:9)`. */
const FRAME_OF_USER = /(?<=^ +) at (?!.*(?:node:|\/node_modules\/)).*$/m

/** A promise that nobody awaits must not end the process: it is said, until disposed. `where` it is to be awaited: the end of the line. */
export function forgiveRejections(
  events: ProcessEvents,
  say: (line: string) => void,
  where: string = 'where it is made',
): Disposable {
  const heard = (reason: unknown): void => {
    // Code in the shell has errors of a realm of its own.
    const message = printable(isNativeError(reason) ? reason.message : messageOf(reason))
    const [line = ''] = FRAME_OF_USER.exec(isNativeError(reason) ? (reason.stack ?? '') : '') ?? []
    say(`an unawaited promise was rejected${printable(line)}: ${message}; await it ${where}`)
  }
  events.on('unhandledRejection', heard)
  return { [Symbol.dispose]: () => void events.off('unhandledRejection', heard) }
}
