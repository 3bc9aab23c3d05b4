// Whether a crawl is over, and why. Pure: from what is under way and what is known to wait, to a decision.
import type { Ending } from '../report.ts'

/** An ending and its one sentence. */
export interface End {
  readonly ended: Ending
  readonly why: string
}

/** What is going on. */
export interface Activity {
  /** Exchanges, handlers, commits and calls to the frontier under way. */
  readonly underWay: number
  /** Epoch ms at which something can go on by time alone; Infinity when nothing waits. */
  readonly nextAt: number
  readonly now: number
  readonly patienceMs: number
  /** Somebody, or a fault of this machine, holds the whole crawl: that it waits says nothing. */
  readonly paused: boolean
  /** Pages are visited again and again: the crawl waits for whatever is due at some moment, however long. */
  readonly watching: boolean
  /** Set once a limit of pages or time is reached, or a stop was asked for. */
  readonly stopping: End | undefined
}

/** The ending, once there is one. */
export function endingOf(activity: Activity): End | undefined {
  const { underWay, nextAt, now, patienceMs, stopping } = activity
  if (underWay > 0) return undefined
  if (stopping) return stopping
  if (activity.paused) return undefined
  if (nextAt === Infinity) return { ended: 'done', why: 'nothing is waiting' }
  if (activity.watching || nextAt - now <= patienceMs) return undefined
  const seconds = Math.round((nextAt - now) / 1_000)
  return {
    ended: 'patience',
    why: `all that is left waits for at least ${seconds} s, which is longer than the patience of ${Math.round(patienceMs / 1_000)} s`,
  }
}
