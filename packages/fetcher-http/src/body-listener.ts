// Events of a body that is being received, and their effect on the time limits of the server: time that we took ourselves counts in none of them.
import type { FailureCode } from '@avocet/core/plugin'
import type { Blame } from '@avocet/core/store'
import type { Deadlines } from './deadlines.ts'
import type { Stopwatch } from './stopwatch.ts'

/** Why there is no body. */
export interface BodyTrouble {
  readonly code: FailureCode
  readonly message: string
  readonly blame?: Blame
  readonly cause?: unknown
}

/** Is called with what happens to a body. */
export interface BodyListener {
  /** For so many ms it waited for room or for its saver, and continues or ends. */
  waited(ms: number): void
  /** It stopped for so many ms because others had this turn of the event loop: none of the server's limits runs meanwhile. */
  paused(ms: number): void
  /** It cannot be had. To be answered by `end`. */
  failed(trouble: BodyTrouble): void
}

/** The one of an exchange with these times. */
export function bodyListener(
  exchange: { readonly deadlines: Deadlines; readonly stopwatch: Stopwatch },
  failed: BodyListener['failed'],
): BodyListener {
  const { deadlines, stopwatch } = exchange
  return {
    waited(ms) {
      deadlines.waited(ms)
      stopwatch.waited(ms)
    },
    paused: (ms) => deadlines.waited(ms),
    failed,
  }
}
