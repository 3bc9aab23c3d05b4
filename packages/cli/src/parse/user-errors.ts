// Promises in code of the user's own that nobody awaits.
import { isNativeError } from 'node:util/types'
import { messageOf } from '@avocet/core/store'
import { userLine } from '@avocet/core/tools'
import type { ProcessEvents } from '../place.ts'
import { printable } from '../text/printable.ts'

/** A promise that nobody awaits must not end the process: it is said, until disposed. `where` it is to be awaited: the end of the line. */
export function forgiveRejections(
  events: ProcessEvents,
  say: (line: string) => void,
  where: string = 'where it is made',
): Disposable {
  const heard = (reason: unknown): void => {
    // Code in the shell has errors of a realm of its own.
    const message = printable(isNativeError(reason) ? reason.message : messageOf(reason))
    const line = userLine(reason)
    say(`${line === undefined ? '' : `${line}: `}an unawaited promise was rejected: ${message}; await it ${where}`)
  }
  events.on('unhandledRejection', heard)
  return { [Symbol.dispose]: () => void events.off('unhandledRejection', heard) }
}
