// Writes to a stream and waits until it has taken the text, so that a slow reader slows the writer and not the memory.
import type { Writable } from 'node:stream'
import { AvocetError } from '@avocet/core'

/**
 * Resolves once `stream` has taken `content`, which nobody escapes: lines of one of the two writers, a body as it came, a file, what another process wrote.
 *
 * @throws AVO_OUTPUT_CLOSED when its reader has gone (`| head`), AVO_OUTPUT_UNWRITABLE for any other trouble.
 */
export function writeAsIs(stream: Writable, content: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(content, (error) => {
      if (error) reject(outputError(error))
      else resolve()
    })
  })
}

/** The last is that of a process whose standard output another one has. */
const CLOSED: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'AVO_OUTPUT_CLOSED'])

/** What an error of a stream means to somebody who writes to it. */
export function outputError(error: Error): AvocetError {
  const closed = 'code' in error && CLOSED.has(String(error.code))
  if (closed) return new AvocetError('AVO_OUTPUT_CLOSED', 'expected a reader on standard output, it has gone', { cause: error })
  return new AvocetError('AVO_OUTPUT_UNWRITABLE', `standard output: expected to write, got ${error.message}`, { cause: error })
}
