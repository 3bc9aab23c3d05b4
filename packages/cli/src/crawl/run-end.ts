// How a run ends: for an output that cannot be written, and when its store is closed.
import type { AvocetError, CrawlReport } from '@avocet/core'
import type { Clock, Frontier } from '@avocet/core/store'

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
