// How a crawl ends whose output cannot be written, in one process or in several.
import type { AvocetError } from '@avocet/core'

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
