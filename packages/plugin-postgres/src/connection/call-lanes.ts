// Calls that say how something is, beside those that a store makes in turn: of each lane one after the other, and numbered.
//
// A call that a network holds back comes when its process has given up waiting, and has said something newer: by its number the store knows (`in_lane` of
// process-functions.sql.ts). Lanes do not wait for one another, so a mark waits for no commit.
import { AvocetError } from '@avocet/core'

/** This process, as it is signed in. */
interface SignIn {
  readonly id: number
  readonly token: string
  signInAnew(was: string): Promise<void>
}

/** A call as it is made: by whom, and its number in the lane. What `in_lane` is asked with. */
export type LaneCall = readonly [process: number, token: string, lane: string, no: number]

/** Lanes of one store. There are as many as it has sinks, and one. */
export class CallLanes {
  readonly #membership: SignIn
  readonly #last = new Map<string, Promise<unknown>>()
  #no = 0

  constructor(membership: SignIn) {
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

  async #asked<Answer>(lane: string, ask: (call: LaneCall) => Promise<Answer | null>): Promise<Answer> {
    for (const isLast of [false, true]) {
      const { id, token } = this.#membership
      const answer = await ask([id, token, lane, ++this.#no])
      if (answer !== null) return answer
      if (!isLast) await this.#membership.signInAnew(token)
    }
    throw new AvocetError(
      'AVO_FRONTIER_BUSY',
      'expected this process to stay signed in, but others declared it dead twice in a row; run the same command again',
    )
  }
}
