// A page that links to new URLs while the disk of the store is nearly full waits, with its items: so nothing of it is lost, and nothing is there twice.
import type { Fetched, Outcome } from '../frontier.ts'
import type { Request } from '../request.ts'

const FIRST_MS = 10 * 60_000
const LONGEST_MS = 6 * 3_600_000

/** Its outcome: it is asked for again, uncounted, in ten minutes, twenty, forty, … and at last every six hours. */
export function putBack({ freeAttempts }: Pick<Request, 'freeAttempts'>, fetched: Fetched): Outcome {
  const waitMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** freeAttempts)
  return { kind: 'retry', at: fetched.at + waitMs, counted: false, reason: 'disk-low', fetched }
}
