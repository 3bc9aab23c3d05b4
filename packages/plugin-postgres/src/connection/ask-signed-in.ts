// A call that only a process which is signed in may make: one that was buried signs in anew, and asks once more.
import { AvocetError } from '@avocet/core'

/** This process, as it is signed in. */
export interface SignIn {
  readonly token: string
  /** The store, for people. */
  readonly name: string
  /** The sign-in with this token is over. */
  signInAnew(was: string): Promise<void>
}

/** The answer. Null, which says that the process was buried, is asked about twice. Throws AVO_FRONTIER_BUSY then. */
export async function askSignedIn<Answer>(process: SignIn, ask: () => Promise<Answer | null>): Promise<Answer> {
  for (const isLast of [false, true]) {
    const { token } = process
    const answer = await ask()
    if (answer !== null) return answer
    if (!isLast) await process.signInAnew(token)
  }
  throw new AvocetError(
    'AVO_FRONTIER_BUSY',
    `expected this process to stay signed in at the store ${process.name}, but others declared it dead twice in a row; run the same command again`,
  )
}
