// Network trouble as data: what went wrong in one exchange, in which phase, and who is to blame.
import { FAILURES, type Blame, type FailureCode } from '../values/errors.ts'
import type { HandlerError } from './handler-error.ts'
import type { Timings } from './response.ts'
import { withoutUserinfo } from '../values/userinfo.ts'

/** The part of an exchange in which it failed. */
export type Phase = 'dns' | 'connect' | 'tls' | 'send' | 'firstByte' | 'body' | 'handler'

/** One failed attempt. */
export interface Failure {
  /** One of the table of errors, such as `AVO_FIRST_BYTE_TIMEOUT`. */
  readonly code: FailureCode
  /** Whose fault it is. */
  readonly blame: Blame
  /** One line: what was expected, what came. */
  readonly message: string
  /** In which it failed; absent when that is not known. */
  readonly phase?: Phase
  /** Whether any byte of the request may have reached the server. */
  readonly sent: boolean
  /** Bytes of the body received until then. */
  readonly wireBytes: number
  /** Of the phases that were over. Ms. */
  readonly timings?: Partial<Timings>
  /** IP address that it failed at, where the system says so. */
  readonly address?: string
  /** What was thrown, if something was. */
  readonly cause?: unknown
  /** Of a failure of the phase `handler`: the error in the user's code, as reports group it. */
  readonly handlerError?: HandlerError
}

/** A page that failed in the user's own code. */
export interface HandlerFailure extends Failure {
  readonly handlerError: HandlerError
}

/**
 * A failure of `code`, with the blame that the table of codes gives. URLs in its message lose user and password.
 *
 * @example
 * ```ts
 * receiver.failed(failure('AVO_FIRST_BYTE_TIMEOUT', 'no answer within 30000 ms', { phase: 'firstByte', sent: true }))
 * ```
 */
export function failure(code: FailureCode, message: string, details: Partial<Omit<Failure, 'code' | 'message'>> = {}): Failure {
  return { code, blame: FAILURES[code].blame, message: withoutUserinfo(message), sent: false, wireBytes: 0, ...details }
}

/**
 * A code as reports and plugins have it.
 *
 * @example
 * ```ts
 * reasonOf('AVO_FIRST_BYTE_TIMEOUT') // 'first-byte-timeout'
 * ```
 */
export function reasonOf(code: FailureCode): string {
  return code.slice('AVO_'.length).toLowerCase().replaceAll('_', '-')
}
