// Where `create-avocet` runs: its streams, its folder and its Node.
import type { ReadStream, WriteStream } from 'node:tty'

/** Where it runs, injected so that a test can be somewhere else. */
export interface Surroundings {
  readonly stdin: Pick<ReadStream, 'isTTY'> & NodeJS.ReadableStream
  readonly stdout: Pick<WriteStream, 'write'>
  readonly stderr: Pick<WriteStream, 'isTTY'> & NodeJS.WritableStream
  /** Absolute; relative paths start here. */
  readonly folder: string
  /** `20.20.2`. */
  readonly nodeVersion: string
}
