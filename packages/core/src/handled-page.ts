// Which pages `maxPages` counts: a run by its outcomes, and a supervisor of several by what they commit.
import type { Outcome } from './frontier.ts'

/**
 * Whether a page with this outcome counts for `maxPages`: a handler got it, also where it failed on it. A page that is read again for its links had counted
 * before; its outcome does not say so.
 *
 * @example `units.filter(({ outcome }) => isHandledPage(outcome)).length`
 */
export function isHandledPage(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'done' || (outcome?.kind === 'failed' && outcome.failure?.phase === 'handler')
}
