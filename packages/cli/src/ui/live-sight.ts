// What a process that crawls, or supervises those that do, can show beside the store.
import type { Hold } from '@avocet/core/tools'
import type { HostCloseUp } from '../view/crawl-watcher.ts'
import type { Scene } from '../view/scene.ts'
import type { RunTape } from './run-tape.ts'

/** A running crawl, looked at. */
export interface LiveSight {
  /** The crawl as it is; undefined before it has shown anything. */
  scene(): Scene | undefined
  readonly tape: LiveTape
  /** Absent where other processes crawl, and only their scenes are known. */
  closeUp?(hostKey: string, now: number): HostCloseUp
  parkedHolds?(now: number): readonly Hold[]
}

/** What happened lately. `refusals` of the run: null where nobody knows; `exchanges`: absent there. */
interface LiveTape extends Pick<RunTape, 'lately'> {
  readonly refusals: number | null
  readonly exchanges?: RunTape['exchanges']
}
