// Calls that say how something is, beside those that a store makes in turn: of each lane one after the other, and numbered.
//
// A call that a network holds back comes when its process has given up waiting, and has said something newer: by its number the store knows (`in_lane` of
// process-functions.sql.ts). Lanes do not wait for one another, so a mark waits for no commit.
import { AvocetError } from '@avocet/core'

/** The same, with its number. */
interface NumberedSignIn extends SignIn {
  readonly id: number
}

/** A call as it is made: by whom, and its number in the lane. What `in_lane` is asked with. */
export type LaneCall = readonly [process: number, token: string, lane: string, no: number]

/** What begins a statement of a lane: as `$1` to `$4` say (`LaneCall`), and whether that is still so. What comes late must not bring back what is settled. */
export const TURN = 'turn AS MATERIALIZED (SELECT {S}.in_lane($1, $2, $3, $4) AS is_ours)'

/** What each of them answers beside what was asked. Null: the process was buried. */
export interface LaneRow {
  readonly is_ours: boolean | null
}

/** False where it says that the sign-in of this process is over: nothing was done. */
export function isAnswer<Row extends LaneRow>(row: Row | undefined): row is Row {
  return row !== undefined && row.is_ours !== null
}

/** Lanes of one store. There are as many as it has sinks, and one. */
export class CallLanes {
  readonly #membership: NumberedSignIn
  readonly #last = new Map<string, Promise<unknown>>()
  #no = 0

  constructor(membership: NumberedSignIn) {
    this.#membership = membership
  }

  /** Asks as this process. Null says that it was buried: it signs in anew then, and asks again, once. */
  ask<Answer>(lane: string, ask: (call: LaneCall) => Promise<Answer | null>): Promise<Answer> {
    const call = (this.#last.get(lane) ?? Promise.resolve()).then(() => this.#asked(lane, ask))
    this.#last.set(
      lane,
      call.catch(() => undefined),
    )
    return call
  }

  #asked<Answer>(lane: string, ask: (call: LaneCall) => Promise<Answer | null>): Promise<Answer> {
    const me = this.#membership
    return askSignedIn(me, () => ask([me.id, me.token, lane, ++this.#no]))
  }
}

// A call that only a process which is signed in may make: one that was buried signs in anew, and asks once more.

/** This process, as it is signed in. */
interface SignIn {
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
