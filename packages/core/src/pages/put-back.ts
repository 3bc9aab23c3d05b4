// A page that links to new URLs while the disk of the store is nearly full waits, with its items: so nothing of it is lost, and nothing is there twice.
import type { Fetched, Outcome } from '../frontier.ts'
import type { Request } from '../request.ts'
import { COST } from '../process/loop-budget.ts'
import type { Run } from '../run/run.ts'

const REASON = 'disk-low'

const FIRST_MS = 10 * 60_000
const LONGEST_MS = 6 * 3_600_000
/** In one transaction. */
const BATCH = 1_000

/** Its outcome: it is requested again, uncounted, in ten minutes, twenty, forty, … and at last every six hours. */
export function putBack({ freeAttempts }: Pick<Request, 'freeAttempts'>, fetched: Fetched): Outcome {
  const waitMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** freeAttempts)
  return { kind: 'retry', at: fetched.at + waitMs, counted: false, reason: REASON, fetched }
}

/** The disk has room: what was put back is due now. */
export async function hastenPutBack({ settings, calls }: Pick<Run, 'settings' | 'calls'>): Promise<void> {
  const { frontier, clock, loop } = settings
  const hasten = (): Promise<number> => frontier.hasten({ reason: REASON, now: clock.now(), limit: BATCH })
  for (let some = BATCH; some === BATCH;)
    some = await loop.whenRoom(COST.row * BATCH, () => calls.make('what waited for the disk', hasten))
}
