// What a run says and does about time when its store is open: other processes may have another, and an earlier run may have had a wrong one.
import type { Clock } from '../clock.ts'
import type { CrawlInfo } from '../frontier.ts'
import { SETBACK_TOLERANCE_MS, setBackText } from '../setback.ts'
import { StoreClock } from './store-clock.ts'

/** Goes by the time of the store that was just opened; returns what is worth a line in the report. */
export function adoptStoreTime(clock: Clock, { setBackMs = 0, aheadMs = 0 }: CrawlInfo): string[] {
  if (aheadMs !== 0 && clock instanceof StoreClock) clock.join(aheadMs)
  const problems: string[] = []
  if (setBackMs > 0)
    problems.push(
      `the clock is ${setBackText(setBackMs)} behind the last run, so it was ahead: all waits were moved back by as much`,
    )
  if (Math.abs(aheadMs) > SETBACK_TOLERANCE_MS) {
    const off = `${setBackText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'behind' : 'ahead of'}`
    problems.push(`the clock is ${off} that of another process on this store: this run goes by the time of that process`)
  }
  return problems
}
