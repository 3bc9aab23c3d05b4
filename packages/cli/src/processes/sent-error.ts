// An error as it is sent between processes: its code and its message.
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import type { SentError } from './process-messages.ts'

/** The error to send. */
export function sentError(error: unknown): SentError {
  return { code: error instanceof AvocetError ? error.code : 'AVO_INTERNAL', message: messageOf(error) }
}
