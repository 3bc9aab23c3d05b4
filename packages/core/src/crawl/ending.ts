// Whether a crawl has finished, and why: from what is in progress and what is known to wait, to a decision.
import { formatDuration } from '../values/duration-text.ts'
import type { Ending } from '../ports/report.ts'
import type { Run } from '../run/run.ts'
import type { Window } from '../scheduler/window.ts'
import { isUntilResumed } from '../ports/frontier-reader.ts'

/** An ending and its one sentence. */
export interface End {
  readonly ended: Ending
  readonly why: string
}

/** What there is once no exchange, handler, commit or call to the frontier is in progress. */
export interface Activity {
  /** Epoch ms at which something can continue by time alone; Infinity when nothing waits. */
  readonly nextAt: number
  readonly now: number
  readonly patienceMs: number
  /** Somebody, or a fault of this machine, holds the whole crawl: that it waits says nothing. */
  readonly paused: boolean
  /** Pages are visited again and again: the crawl waits for everything that is due at some moment, however long. */
  readonly watching: boolean
  /** Why it is in vain to wait for the proxies, where nothing else happened for long. */
  readonly hopeless?: string | undefined
  /** Set once a limit of pages or time is reached, or a stop was requested. */
  readonly stopping: End | undefined
}

/** The ending, once there is one. Pure. */
export function endingOf(activity: Activity): End | undefined {
  const { nextAt, now, patienceMs, stopping } = activity
  if (stopping) return stopping
  if (activity.paused) return undefined
  if (nextAt === Infinity) return { ended: 'done', why: 'nothing is waiting' }
  if (activity.hopeless !== undefined && !activity.watching) return { ended: 'patience', why: activity.hopeless }
  if (activity.watching || nextAt - now <= patienceMs) return undefined
  return {
    ended: 'patience',
    why: `all that is left waits for at least ${formatDuration(nextAt - now)}, which is longer than the patience of ${formatDuration(patienceMs)}`,
  }
}

/** Parts that may still have something to do when nothing is in progress. */
interface LastAsked {
  readonly window: Pick<Window, 'giveAllBack'>
  readonly faults: { hopelessAt(now: number, patienceMs: number): string | undefined }
  /** Seeds that are still read keep a crawl going, unless it is to end. */
  readonly flow: { readonly busy: boolean }
}

/** Finds out whether a crawl is over. */
export class EndWatch {
  /** Why nothing more begins. */
  stopping: End | undefined
  #lookedOnceMore = false
  readonly #over: PromiseWithResolvers<End> = Promise.withResolvers()
  readonly #run: Run
  readonly #parts: LastAsked

  constructor(run: Run, parts: LastAsked) {
    this.#run = run
    this.#parts = parts
  }

  /** Resolves with the end. */
  get over(): Promise<End> {
    return this.#over.promise
  }

  /** An exchange has begun: when the crawl seems to be done the frontier is asked again. */
  begun(): void {
    this.#lookedOnceMore = false
  }

  /** Looks whether it is over. `underWay`: exchanges, handlers, commits and calls in progress; `nextAt`: when something can be requested next. */
  check(underWay: number, nextAt: () => number): void {
    const { settings, tally } = this.#run
    if (tally.handled >= settings.maxPages) this.stopping ??= { ended: 'limit', why: 'maxPages is reached' }
    if (underWay === 0 && (this.stopping !== undefined || !this.#parts.flow.busy)) this.#look(nextAt())
  }

  #look(nextAt: number): void {
    const { settings, pause, revisits, tally } = this.#run
    const { window, flow, faults } = this.#parts
    const { patienceMs } = settings
    const now = settings.clock.now()
    // Who pauses a crawl does not keep it from being over: its store, or this machine, may have more to say.
    const isHeld =
      pause.why !== undefined && (pause.by === 'store' || pause.by === 'machine' || flow.busy || tally.totals.waiting > 0)
    const isIdle = pause.why !== undefined && !isHeld && !revisits.isRevisiting
    const end = endingOf({
      nextAt: isIdle ? Infinity : nextAt,
      now,
      patienceMs,
      hopeless: faults.hopelessAt(now, patienceMs),
      // What an operator has paused without an end is resumed by one: that it waits says nothing.
      paused: (pause.why !== undefined && !isIdle) || isUntilResumed(nextAt),
      watching: revisits.isRevisiting,
      stopping: this.stopping,
    })
    // Before a crawl is called done the frontier is asked once more, with empty hands: it is the truth, our counts are not.
    if (end?.ended === 'done' && !this.#lookedOnceMore) {
      this.#lookedOnceMore = true
      return window.giveAllBack()
    }
    if (end) this.#over.resolve(end)
  }
}
