// A page whose links or rows the store has no room for, or does not give, waits with its items: nothing of it is lost, and nothing is there twice.
import type { LiveExchange } from '../exchange/live-exchange.ts'
import { fetchedOf } from '../ports/exchange.ts'
import type { Response } from '../ports/response.ts'
import { COST } from '../process/loop-budget.ts'
import type { Run } from '../run/run.ts'
import { outcomeOnly, type PendingUnit } from '../store/pending-unit.ts'

const REASON = 'disk-low'

const FIRST_MS = 10 * 60_000
const LONGEST_MS = 6 * 3_600_000
/** In one transaction. */
const BATCH = 1_000

/** It is requested again, uncounted, in ten minutes, twenty, forty, … and at last every six hours. */
export function putBack(exchange: LiveExchange, now: number, response: Response): PendingUnit {
  const { host, request } = exchange
  const fetched = fetchedOf(exchange, now, response)
  const at = fetched.at + Math.min(LONGEST_MS, FIRST_MS * 2 ** request.freeAttempts)
  return outcomeOnly(host, request, { kind: 'retry', at, counted: false, reason: REASON, fetched })
}

/** The disk has room: what was put back is due now. */
export async function hastenPutBack({ settings, calls }: Pick<Run, 'settings' | 'calls'>): Promise<void> {
  const { frontier, clock, loop } = settings
  const hasten = (): Promise<number> => frontier.change({ kind: 'hasten', reason: REASON, now: clock.now(), limit: BATCH })
  for (let some = BATCH; some === BATCH;)
    some = await loop.whenRoom(COST.row * BATCH, () => calls.make('what waited for the disk', hasten))
}
