// How many processes to start: as many as were asked for, but no more than there are slots to share.
import { availableParallelism } from 'node:os'
import type { ProcessWish } from '../load/plan-crawl.ts'
import { BUILT_IN } from '../load/precedence.ts'

/** How many. `auto` is one for each of `cores`, by default those that the system lets this process use; `slots`: requests in flight, all processes together. */
export function processCount(
  wish: ProcessWish = 1,
  slots: number = BUILT_IN.concurrency,
  cores: number = availableParallelism(),
): number {
  return Math.max(1, Math.min(wish === 'auto' ? cores : wish, slots))
}
