// What becomes of a page whose body found no room in memory: nobody's fault, so it is asked for again later, uncounted, and no plugin need vote for it.
//
// The host was asked and has answered, so plugins hear of the exchange as a failure of ours, and its pace goes on as after any other. The page waits
// alone: 5 s doubling to 10 min, for what is downloaded only to be thrown away again costs its host as much as a page that is kept.
import type { Failure } from '../failure.ts'
import type { Verdict } from '../verdict.ts'
import { reasonOf } from './outcome.ts'
import type { ExchangeRun } from './exchange-run.ts'

const FIRST_MS = 5_000
const LONGEST_MS = 600_000

/** Whether this failure says that there was no room now. One that would never have room is the page's own. */
export function lacksMemory({ code, blame }: Failure): boolean {
  return code === 'AVO_BODY_BUDGET' && blame === 'local'
}

/** When a page that found no room at `now` is asked for again. */
export function againLater(run: ExchangeRun, now: number): Verdict {
  const delayMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** run.request.freeAttempts) * (0.75 + run.random('body-budget') / 2)
  return { kind: 'retry', at: now + delayMs, counted: false, reason: reasonOf('AVO_BODY_BUDGET') }
}
