// What the frontier contract tests: a place, and frontiers on it.
import type { Frontier } from '@avocet/core/store'

/** A place where a frontier keeps its data. */
export interface FrontierStore {
  /** A frontier on this place, not opened yet. In memory it is the same object each time. */
  frontier(): Frontier
  /** Leaves this place as a kill -9 would. Later frontiers find it in that state. */
  crash?(): Promise<void>
  dispose(): Promise<void>
}
