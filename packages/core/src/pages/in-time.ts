// Runs asynchronous code of the user within a time limit. What exceeds it cannot be stopped, so it counts as running until it ends.
import type { Clock } from '../ports/clock.ts'
import type { FailureCode } from '../values/errors.ts'
import { failure, type Failure } from '../ports/failure.ts'

/** What came of a part that did not come to its end. */
export interface FailedPart {
  readonly kind: 'failed'
  readonly failure: Failure
  /** It overran its time, and this settles when it really ends. */
  readonly running?: Promise<unknown>
}

/** What is run, and what is said of it. */
export interface TimedPart {
  readonly clock: Clock
  readonly timeoutMs: number
  /** In words: `handler start of https://…`. */
  readonly what: string
  /** Of the failure when it is late. */
  readonly late: { readonly code: FailureCode; readonly message: string }
}

/** What `run` gives, unless it is late. `run` never rejects, and asks `isLate` between its steps. */
export function inTime<Result>(
  { clock, timeoutMs, what, late }: TimedPart,
  run: (isLate: () => boolean) => Promise<Result>,
): Promise<Result | FailedPart> {
  return new Promise((resolve) => {
    let isLate = false
    const hold = clock.hold(what)
    const deadline = clock.at(clock.now() + timeoutMs, () => {
      isLate = true
      hold[Symbol.dispose]()
      resolve({ kind: 'failed', failure: failure(late.code, late.message, { phase: 'handler', sent: true }), running })
    })
    const running = run(() => isLate).then((result) => {
      deadline[Symbol.dispose]()
      hold[Symbol.dispose]()
      resolve(result)
    })
  })
}
