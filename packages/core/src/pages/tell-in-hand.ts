// Tells the store which pages are in hand. What is lost when it fails is a suspicion.
import { messageOf } from '../errors.ts'
import type { Frontier } from '../frontier.ts'

/** Never throws. */
export function tellInHand(frontier: Frontier, requestIds: readonly number[], problem: (message: string) => void): void {
  try {
    frontier.inHand(requestIds)
  } catch (error) {
    problem(`the store cannot be told which pages are in hand: ${messageOf(error)}`)
  }
}
