// One heartbeat: what fails in it is the store's to say, or costs this beat.
import { AvocetError, messageOf } from '../errors.ts'
import type { Frontier, VisitToken } from '../frontier.ts'

/** Renews what is held; nothing, with a word to `problem`, when that failed for a reason that is no fault of the store. */
export async function renewed(
  frontier: Frontier,
  hosts: readonly { readonly token: VisitToken }[],
  { now, problem }: { now: number; problem: (message: string) => void },
): Promise<Awaited<ReturnType<Frontier['renew']>>> {
  try {
    return await frontier.renew(
      hosts.map(({ token }) => token),
      now,
    )
  } catch (error) {
    // What a store says of itself is for those who know its faults; anything else costs this beat, and the next one comes.
    if (error instanceof AvocetError) throw error
    problem(`the heartbeat failed: ${messageOf(error)}`)
    return []
  }
}
