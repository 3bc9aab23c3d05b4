// What is wrong with the command line or the folder: one line for the user, and the exit code that goes with it.

/** Exit codes as `avocet` has them: 2 the command line is wrong, 7 a file cannot be written, 69 this Node.js is too old. */
export type FailureExit = 2 | 7 | 69

/** Says what was expected, what came, what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly exit: FailureExit

  constructor(message: string, exit: FailureExit = 2) {
    super(message)
    this.exit = exit
  }
}
