// How a run ends: for an output that cannot be written, and when its store is closed.
import type { AvocetError, CrawlReport } from '@avocet/core'
import type { Clock, Frontier } from '@avocet/core/store'
import type { Place } from '@avocet/project/place'
import type { EndSignal } from '../exit-code.ts'

/** What is ended: a run, or all runs of a command. */
interface Ended {
  /** In good order. */
  stop(): void
  /** At once. */
  abort(): void
}

/** Ends it. Nobody waits any more for what a reader of standard output would get that has gone. */
export function endForOutput({ code }: Pick<AvocetError, 'code'>, ended: Ended): void {
  if (code === 'AVO_OUTPUT_CLOSED') ended.abort()
  else ended.stop()
}

// Closes the store of a run that is over.

/** Long enough for what this process keeps on its own machine; a server that was silent until now takes 15 s to say so once more. */
const SIGN_OUT_MS = 2_000

/** What is closed. */
interface OverRun {
  readonly frontier: Pick<Frontier, 'close'>
  readonly clock: Pick<Clock, 'now' | 'at'>
  /** Absent: the run threw. */
  readonly report: Pick<CrawlReport, 'error' | 'withoutStore'> | undefined
}

/**
 * Closes it. A store that failed may fail once more: what it said first, and the report, must not be lost for that. A server that could not be read at the end
 * is not waited for: the others bury a process that cannot say that it leaves.
 */
export async function closeAfterRun({ frontier, clock, report }: OverRun): Promise<void> {
  const hasFailed = report === undefined || report.error !== undefined
  const closing = frontier.close().catch((error: unknown) => {
    if (!hasFailed) throw error
  })
  if (report?.withoutStore !== true || report.error?.code !== 'AVO_FRONTIER_AWAY') return closing
  const late = Promise.withResolvers<void>()
  using _late = clock.at(clock.now() + SIGN_OUT_MS, late.resolve)
  await Promise.race([closing, late.promise])
}

// SIGINT and SIGTERM: the first asks, the second insists.

const SIGNALS = ['SIGINT', 'SIGTERM'] as const satisfies readonly EndSignal[]

/**
 * One key press may arrive twice: from the terminal, which signals the whole process group, and from a parent (npm) that passes on what
 * it got. Nobody presses twice within this.
 */
const SAME_PRESS_MS = 200

/** Calls `first` and then `second` until disposed. */
export function onEndSignals(
  { clock, events }: Pick<Place, 'clock' | 'events'>,
  first: (signal: EndSignal) => void,
  second: (signal: EndSignal) => void,
): Disposable {
  let askedAt: number | undefined
  const heard = (signal: NodeJS.Signals): void => {
    const now = clock.monotonic()
    if (askedAt === undefined) {
      askedAt = now
      first(signal as EndSignal)
    } else if (now - askedAt >= SAME_PRESS_MS) {
      second(signal as EndSignal)
    }
  }
  for (const signal of SIGNALS) events.on(signal, heard)
  return {
    [Symbol.dispose]() {
      for (const signal of SIGNALS) events.off(signal, heard)
    },
  }
}
