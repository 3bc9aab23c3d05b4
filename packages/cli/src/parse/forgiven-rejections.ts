// A promise that a handler started and nobody awaits: said in a line, as a crawl says it, where Node would end the process.
import { isNativeError } from 'node:util/types'
import { messageOf } from '@avocet/core'
import { printable } from '../text/printable.ts'
import { userLine } from './user-line.ts'

/** Until disposed. */
export function forgiveRejections(say: (line: string) => void): Disposable {
  const heard = (reason: unknown): void => {
    // Code in the shell has errors of a realm of its own.
    const message = printable(isNativeError(reason) ? reason.message : messageOf(reason))
    const line = userLine(reason)
    say(
      `${line === undefined ? '' : `${line}: `}a promise that nobody awaits was rejected: ${message}; await it where it is made`,
    )
  }
  process.on('unhandledRejection', heard)
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', heard) }
}
