// Promises in code of the user's own that nobody awaits.
import { isNativeError } from 'node:util/types'
import { messageOf } from '@avocet/core/store'
import type { ProcessEvents } from './place.ts'
import { printable } from '../text/printable.ts'

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
