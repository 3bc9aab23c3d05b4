// Events of a body that is being received.
import type { FailureCode } from '@avocet/core/plugin'
import type { Blame } from '@avocet/core/store'

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
