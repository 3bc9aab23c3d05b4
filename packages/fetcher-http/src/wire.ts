// What all exchanges of a fetcher share.
import type { IntakeWorld } from './body-intake.ts'
import type { Connections } from './connections.ts'
import type { Watchdog } from './watchdog.ts'

/** Its connections, its limits, and its one timer. */
export interface Wire extends IntakeWorld {
  /** Over which the least throughput is averaged. Ms. */
  readonly windowMs: number
  readonly connections: Connections
  readonly watchdog: Watchdog
}
