// Which outcomes have a page that a handler got.
import type { Outcome } from '../frontier.ts'

/** When the page was fetched that a handler got, epoch ms; undefined where it got none, for the page is as it was, or there was trouble. */
export function pageAtOf(outcome: Outcome): number | undefined {
  if (outcome.kind === 'done') return outcome.reason === 'unchanged' ? undefined : outcome.fetched.at
  return outcome.kind === 'failed' && outcome.failure?.blame === 'user' ? outcome.fetched?.at : undefined
}
