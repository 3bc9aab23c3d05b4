// A session that could not log in, in one line.
import type { FailedLogin } from '@avocet/core/tools'
import { printable } from './printable.ts'
import { formatCount, formatCountOf, formatMoment } from './quantity.ts'

/** `session ann: 12 requests wait, 3 logins failed, the last at …: http 500; next try at …`. */
export function loginLine({ session, hostKey = '', failures, failedAt, why, nextAt, waiting, isMore }: FailedLogin): string {
  const whose = session === undefined ? `session of ${hostKey}` : `session ${session}`
  const wait = `${isMore ? 'at least ' : ''}${formatCountOf(waiting, 'request')} ${waiting === 1 ? 'waits' : 'wait'}`
  const last = `${failures === 1 ? '1 login' : `${formatCount(failures)} logins in a row`} failed, the last at ${formatMoment(failedAt)}`
  return printable(`${whose}: ${wait}; ${last}: ${why}; next try at ${formatMoment(nextAt)} or later`)
}
